"""From the intermediate representation to the text of adjoints."""
