"""What is wrong with an answer: per step, changes it missed, made up, or took for another."""
