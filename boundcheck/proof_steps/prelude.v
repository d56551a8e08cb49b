Require Import Reals Lra Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
Open Scope R_scope.

(* -- what the steps below are made of ------------------------------------------------------ *)

Lemma gap_le (a b : R) : 0 <= b - a -> a <= b.
Proof. lra. Qed.

Lemma gap_lt (a b : R) : 0 < b - a -> a < b.
Proof. lra. Qed.

Lemma even_power (x : R) (n : nat) : 0 <= x ^ (2 * n).
Proof. rewrite pow_mult. apply pow_le. nra. Qed.

Lemma ln_quotient (x y : R) : 0 < x -> 0 < y -> ln (x / y) = ln x - ln y.
Proof.
  intros. unfold Rdiv. rewrite ln_mult; [ rewrite ln_Rinv; lra | lra | now apply Rinv_0_lt_compat ].
Qed.

Lemma ln_power (x : R) (n : nat) : 0 < x -> ln (x ^ n) = IZR (Z.of_nat n) * ln x.
Proof. intros. rewrite ln_pow by assumption. now rewrite INR_IZR_INZ. Qed.

Lemma ln_root (x : R) : 0 < x -> ln (sqrt x) = ln x / 2.
Proof.
  intros. assert (0 < sqrt x) by now apply sqrt_lt_R0.
  rewrite <- (sqrt_sqrt x) at 2 by lra. rewrite ln_mult by assumption. lra.
Qed.

Lemma ln_nonnegative (x : R) : 1 <= x -> 0 <= ln x.
Proof.
  intros [H | <-]; [ left; rewrite <- ln_1; apply ln_increasing; lra | rewrite ln_1; lra ].
Qed.

Lemma ln_positive (x : R) : 1 < x -> 0 < ln x.
Proof. intros. rewrite <- ln_1. apply ln_increasing; lra. Qed.

Lemma rises (f slope : R -> R) (a b : R) :
  a <= b -> (forall t, a <= t <= b -> is_derive f t (slope t)) ->
  (forall t, a <= t <= b -> 0 <= slope t) -> f a <= f b.
Proof.
  intros order derived sign.
  destruct (MVT_gen f a b slope) as [c [inside meets]];
    rewrite ?Rmin_left, ?Rmax_right in * by lra.
  - intros t inside. apply derived. lra.
  - intros t inside. apply continuity_pt_filterlim.
    apply (ex_derive_continuous f t). exists (slope t). apply derived. lra.
  - assert (0 <= slope c * (b - a)) by (apply Rmult_le_pos; [ apply sign | ]; lra). lra.
Qed.

Lemma falls (f slope : R -> R) (a b : R) :
  a <= b -> (forall t, a <= t <= b -> is_derive f t (slope t)) ->
  (forall t, a <= t <= b -> 0 <= - slope t) -> f b <= f a.
Proof.
  intros order derived sign. apply Ropp_le_cancel.
  apply (rises (fun t => - f t) (fun t => - slope t)); trivial.
  intros t inside. apply (is_derive_opp f). now apply derived.
Qed.

(* a function that falls stays above what it tends to *)
Lemma falls_to (f slope : R -> R) (a l : R) :
  (forall t, a <= t -> is_derive f t (slope t)) ->
  (forall t, a <= t -> 0 <= - slope t) -> is_lim f p_infty l -> l <= f a.
Proof.
  intros derived sign limit.
  apply (is_lim_le_loc f (fun _ => f a) p_infty l (f a)); [ | assumption | apply is_lim_const ].
  exists a. intros t beyond. apply (falls f slope); intros; try apply derived; try apply sign; lra.
Qed.

(* -- signs of sums, products and powers ----------------------------------------------------- *)

Ltac positive :=
  match goal with
  | |- 0 < exp _ => apply exp_pos
  | |- 0 < _ * _ => apply Rmult_lt_0_compat; positive
  | |- 0 < _ / _ => apply Rdiv_lt_0_compat; positive
  | |- 0 < / _ => apply Rinv_0_lt_compat; positive
  | |- 0 < _ ^ _ => apply pow_lt; positive
  | |- 0 < sqrt _ => apply sqrt_lt_R0; positive
  | |- 0 < ln _ => apply ln_positive; first [ lra | nra ]
  | |- 0 < _ + _ =>
      first [ lra | apply Rplus_lt_le_0_compat; [ positive | nonnegative ]
            | apply Rplus_le_lt_0_compat; [ nonnegative | positive ] | nra ]
  | _ => first [ assumption | lra | nra | interval ]
  end
with nonnegative :=
  match goal with
  | |- 0 <= exp _ => left; apply exp_pos
  | |- 0 <= _ * _ => first [ apply Rmult_le_pos; nonnegative | nra ]
  | |- 0 <= _ / _ => first [ apply Rmult_le_pos; [ nonnegative | nonnegative ] | nra ]
  | |- 0 <= / _ => first [ left; apply Rinv_0_lt_compat; positive ]
  | |- 0 <= ?x ^ 2 => apply (even_power x 1)
  | |- 0 <= ?x ^ 4 => apply (even_power x 2)
  | |- 0 <= _ ^ _ => apply pow_le; nonnegative
  | |- 0 <= sqrt _ => apply sqrt_pos
  | |- 0 <= ln _ => apply ln_nonnegative; first [ lra | nra ]
  | |- 0 <= _ + _ => first [ lra | apply Rplus_le_le_0_compat; nonnegative | nra ]
  | _ => first [ assumption | lra | nra | interval ]
  end.

Ltac side :=
  repeat split;
  match goal with
  | |- True => exact I
  | |- _ <> 0 => first [ assumption | apply Rgt_not_eq; unfold Rgt; positive
                       | apply Rlt_not_eq; lra | intro; lra | intro; nra ]
  | |- 0 < _ => positive
  | |- 0 <= _ => nonnegative
  | _ => first [ assumption | lra | nra ]
  end.

(* -- equal expressions: logarithms and exponentials taken apart, then algebra -------------- *)

Ltac without z p :=
  let rest := eval compute in (Z.modulo z p) in
  let quotient := eval compute in (Z.div z p) in
  match rest with
  | Z0 => match quotient with
          | 1%Z => fail 1
          | _ => replace (ln (IZR z)) with (ln (IZR p) + ln (IZR quotient))
                   by (rewrite <- ln_mult by lra; f_equal; lra)
          end
  end.

Ltac primes z := first [ without z 2%Z | without z 3%Z | without z 5%Z | without z 7%Z ].

Ltac apart :=
  repeat match goal with
  | |- context [ln (exp ?x)] => rewrite (ln_exp x)
  | |- context [exp (ln ?x)] => rewrite (exp_ln x) by positive
  | |- context [ln (?x * ?y)] => rewrite (ln_mult x y) by positive
  | |- context [ln (?x / ?y)] => rewrite (ln_quotient x y) by positive
  | |- context [ln (/ ?x)] => rewrite (ln_Rinv x) by positive
  | |- context [ln (?x ^ ?n)] => rewrite (ln_power x n) by positive; simpl Z.of_nat
  | |- context [ln (sqrt ?x)] => rewrite (ln_root x) by positive
  | |- context [ln 1] => rewrite ln_1
  | |- context [ln (IZR ?z)] => primes z
  | |- context [exp 0] => rewrite exp_0
  | |- context [exp (?x + ?y)] => rewrite (exp_plus x y)
  | |- context [exp (- ?x)] => rewrite (exp_Ropp x)
  | |- context [(?x * ?y) ^ ?n] => rewrite (Rpow_mult_distr x y n)
  | |- context [Rmax ?x ?y] => first [ rewrite (Rmax_right x y) by lra | rewrite (Rmax_left x y) by lra ]
  | |- context [sqrt ?x ^ 2] => rewrite (pow2_sqrt x) by nonnegative
  | |- context [sqrt ?x * sqrt ?x] => rewrite (sqrt_sqrt x) by nonnegative
  end.

Ltac same :=
  first [ reflexivity | field; side | apart; first [ reflexivity | ring | field; side ] ].

Ltac derivative := auto_derive; [ side | same ].
