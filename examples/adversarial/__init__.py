"""An adversarial suite over the order agent."""
