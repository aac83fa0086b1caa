"""Answers that others collected."""
