"""A server of the Model Context Protocol, with the commands of asplan as tools for agents."""
