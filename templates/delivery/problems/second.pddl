;; Two parcels, and a long road beside two short ones: shortest plan 6 actions.

(define (problem second)
  (:domain delivery)
  (:objects office square mill farm - place
            book lamp - parcel)
  (:init
    (here office) (free) (= (total-cost) 0)
    (road office square) (road square office) (= (length office square) 2) (= (length square office) 2)
    (road square mill) (road mill square) (= (length square mill) 3) (= (length mill square) 3)
    (road office mill) (road mill office) (= (length office mill) 9) (= (length mill office) 9)
    (road mill farm) (road farm mill) (= (length mill farm) 2) (= (length farm mill) 2)
    (lies book office) (lies lamp mill))
  (:goal (and (lies book mill) (lies lamp farm)))
  (:metric minimize (total-cost)))
