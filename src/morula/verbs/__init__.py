"""What a user calls: gradients, jacobians, Hessians, checkpoints, tools."""
