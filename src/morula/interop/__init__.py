"""What the adapters to other libraries share: structures of arguments, hosts, functions of other engines."""
