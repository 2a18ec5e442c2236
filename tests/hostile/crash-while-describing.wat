;; Crashes when it is asked what it grades.
(func (export "podium:grading/grader@1.0.0#describe") (result i32)
  (unreachable))
