"""How good a judge is: held against human labels, against itself, and against the order and length of replies."""
