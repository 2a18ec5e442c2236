;; Gives a score, and crashes when the host hands back the memory of it.
(func (export "cabi_post_podium:grading/grader@1.0.0#grade") (param i32) (unreachable))
