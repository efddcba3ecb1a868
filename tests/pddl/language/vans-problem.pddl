; The problem of the vans.
(define (problem to-the-hub)
  (:domain vans)
  (:objects A B - place W - van)
  (:init (at V A) (at W A) (road A Hub) (road A B) (road B Hub) (open A) (open Hub) (= (fuel V) 6)
    (= (fuel W) 2) (= (distance A Hub) 3) (= (distance A B) 4) (= (driven) 0) (= (speed) 1)
    (at 8 (open B)) (at 20 (not (open B))))
  (:goal (and (at V Hub) (not (lit)))) (:metric minimize (+ (total-time) (* 2 (driven)))))
