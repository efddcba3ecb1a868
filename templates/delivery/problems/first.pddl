;; One parcel: shortest plan 4 actions.

(define (problem first)
  (:domain delivery)
  (:objects office square mill - place
            book - parcel)
  (:init
    (here office) (free) (= (total-cost) 0)
    (road office square) (road square office) (= (length office square) 2) (= (length square office) 2)
    (road square mill) (road mill square) (= (length square mill) 3) (= (length mill square) 3)
    (lies book office))
  (:goal (and (lies book mill)))
  (:metric minimize (total-cost)))
