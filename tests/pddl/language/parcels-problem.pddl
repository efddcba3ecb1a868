; The problem that the tables of wrong inputs change in one place.
(define (problem Two-Parcels)
  (:domain parcels)
  (:objects Red-Van - van  P1 P2 - parcel
            Aachen Bonn - town)
  (:init (at red-van depot) (at p1 depot) (at P2 Aachen)
         (road Depot Aachen) (road Aachen Bonn)
         (= (total-cost) 0) (= (distance depot aachen) 4) (= (distance aachen bonn) 3))
  (:goal (and (at p1 bonn) (reachable depot bonn)))
  (:metric minimize (total-cost)))
