"""judgekit evaluates LLM agents."""
