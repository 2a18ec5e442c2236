;; Takes memory page by page, and gives up when there is none.
(func (export "podium:grading/grader@1.0.0#grade")
  (param $submission i32) (param $answers i32) (param $count i32) (result i32)
  (loop $more (br_if $more (i32.ne (i32.const -1) (memory.grow (i32.const 1)))))
  (unreachable))
