; Three parcels, and a battery that is nearly empty.
; Fewest steps 13, fewest actions 16; fewest steps 7 with --steps rolled.

(define (problem courier-1)
  (:domain courier)
  (:objects home market school - place
            book cake lamp - parcel)
  (:init (at home) (home home)
         (= (battery) 2) (= (capacity) 12) (= (load) 0)
         (= (way home market) 3) (= (way market home) 3)
         (= (way market school) 2) (= (way school market) 2)
         (= (way home school) 4) (= (way school home) 4)
         (waiting book home) (address book school) (= (weight book) 1.5)
         (waiting cake home) (address cake market) (= (weight cake) 2)
         (waiting lamp market) (address lamp school) (= (weight lamp) 3.5))
  (:goal (and (delivered book) (delivered cake) (delivered lamp) (at home)))
  (:metric maximize (battery)))
