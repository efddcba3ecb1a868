; Four towns in a ring, a courier in each, two trains; five parcels.
; Fewest steps 8.

(define (problem parcels-3)
  (:domain parcels)
  (:objects
    Ulm-station Bern-station Graz-station Linz-station - station Ulm-minster Ulm-port
    Bern-market Bern-mill Graz-castle Graz-bridge Linz-opera Linz-dock - place Ida Max Eva
    Jan - courier express regional - train book hat tea ink lamp - parcel)
  (:init
    (at Ida Ulm-minster) (at Max Bern-station) (at Eva Graz-castle) (at Jan Linz-dock)
    (at express Ulm-station) (at regional Graz-station)
    (at book Ulm-port) (at hat Bern-market) (at tea Graz-bridge) (at ink Ulm-port)
    (at lamp Linz-dock)
    (street Ulm-station Ulm-minster) (street Ulm-station Ulm-port)
    (street Ulm-minster Ulm-station) (street Ulm-minster Ulm-port)
    (street Ulm-port Ulm-station) (street Ulm-port Ulm-minster)
    (street Bern-station Bern-market) (street Bern-station Bern-mill)
    (street Bern-market Bern-station) (street Bern-market Bern-mill)
    (street Bern-mill Bern-station) (street Bern-mill Bern-market)
    (street Graz-station Graz-castle) (street Graz-station Graz-bridge)
    (street Graz-castle Graz-station) (street Graz-castle Graz-bridge)
    (street Graz-bridge Graz-station) (street Graz-bridge Graz-castle)
    (street Linz-station Linz-opera) (street Linz-station Linz-dock)
    (street Linz-opera Linz-station) (street Linz-opera Linz-dock)
    (street Linz-dock Linz-station) (street Linz-dock Linz-opera)
    (line Ulm-station Bern-station) (line Bern-station Ulm-station)
    (line Bern-station Graz-station) (line Graz-station Bern-station)
    (line Graz-station Linz-station) (line Linz-station Graz-station)
    (line Linz-station Ulm-station) (line Ulm-station Linz-station))
  (:goal (and
    (at book Graz-castle) (at hat Ulm-minster) (at tea Bern-mill) (at ink Linz-opera)
    (at lamp Bern-market))))
