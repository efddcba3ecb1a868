; A robot with hands carries balls through the doors between rooms.
;
; Tells  (robot-in R)      the robot is in room R
;        (ball-in B R)     ball B lies in room R
;        (holds H B)       hand H holds ball B; (empty H) if it holds none
;        (door R S)        a door leads from room R to room S; given for both ways

(define (domain gripper)
  (:requirements :strips :typing)
  (:types room ball hand)
  (:predicates (robot-in ?room - room)
               (ball-in ?ball - ball ?room - room)
               (holds ?hand - hand ?ball - ball)
               (empty ?hand - hand)
               (door ?from ?to - room))

  (:action go
    :parameters (?from ?to - room)
    :precondition (and (robot-in ?from) (door ?from ?to))
    :effect (and (robot-in ?to) (not (robot-in ?from))))

  (:action grasp
    :parameters (?ball - ball ?hand - hand ?room - room)
    :precondition (and (robot-in ?room) (ball-in ?ball ?room) (empty ?hand))
    :effect (and (holds ?hand ?ball) (not (ball-in ?ball ?room)) (not (empty ?hand))))

  (:action release
    :parameters (?ball - ball ?hand - hand ?room - room)
    :precondition (and (robot-in ?room) (holds ?hand ?ball))
    :effect (and (ball-in ?ball ?room) (empty ?hand) (not (holds ?hand ?ball)))))
