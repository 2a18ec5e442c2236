;; Gives a score, and never ends taking back the memory of it.
(func (export "cabi_post_podium:grading/grader@1.0.0#grade") (param i32) (loop $on (br $on)))
