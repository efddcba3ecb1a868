; Fuses in a dark cellar are mended by the light of matches. A match burns for a while and is then
; used up; there is one hand to mend with.
;
; Mending has to happen while a match burns: no order of actions one after the other would do
; (required concurrency). After Halsey, Long and Fox's MatchCellar.
;
; Tells  (light)        a match burns
;        (unused M)     match M has not been struck
;        (mended F)     fuse F is whole again
;        (hand-free)    the hand that mends has nothing to do

(define (domain cellar)
  (:requirements :typing :durative-actions :numeric-fluents)
  (:types match fuse - object)
  (:predicates (light)
               (unused ?m - match)
               (mended ?f - fuse)
               (hand-free))
  (:functions (burns ?m - match)
              (work ?f - fuse))

  (:durative-action strike
    :parameters (?m - match)
    :duration (= ?duration (burns ?m))
    :condition (at start (unused ?m))
    :effect (and (at start (not (unused ?m)))
                 (at start (light))
                 (at end (not (light)))))

  (:durative-action mend
    :parameters (?f - fuse)
    :duration (= ?duration (work ?f))
    :condition (and (at start (hand-free)) (over all (light)))
    :effect (and (at start (not (hand-free)))
                 (at end (mended ?f))
                 (at end (hand-free)))))
