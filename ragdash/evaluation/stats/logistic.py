"""Logistic regression with an L2 penalty, also cross-fitted: every labeled row is predicted by a model without it.

Letters: B any leading axes (many samples at once), n rows, m rows, F features, K folds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

STEPS, HALVINGS, NEAR = 100, 40, 1e-10


@dataclass(frozen=True, eq=False)
class Logistic:
    """Fitted models: weights (B, F) of the standardized features, intercept (B,), infinite where all labels were 0 or
    all were 1; center, scale (B, F): of the rows they were fitted to.
    """

    weights: np.ndarray
    intercept: np.ndarray
    center: np.ndarray
    scale: np.ndarray

    def predict(self, features: np.ndarray) -> np.ndarray:
        """Probability of a 1 for rows (B, m, F), with B as the models' or broadcast against it: (B, m) in [0, 1]."""
        from scipy.special import expit

        rows = _standardised(features, self.center, self.scale)
        return expit(np.einsum("...mf,...f->...m", rows, self.weights) + self.intercept[..., None])


def logistic(features: np.ndarray, labels: np.ndarray, *, penalty: float = 1.0,
             use: np.ndarray | None = None) -> Logistic:
    """Fit logistic regressions, one for each of the leading axes, by Newton's method with halved steps.

    features (B, n, F), NaN where not known; labels (B, n) in [0, 1]: a label of 0.3 counts as 0.3 of a 1 and 0.7 of a
    0; use (B, n) bool: the rows to fit to, all unless given, at least one. Each feature is brought to mean 0 and
    standard deviation 1 over the rows used; a value that is not known then counts as the mean, one that never differs
    has no weight. Minimised is
    sum of -y log p - (1 - y) log(1 - p)  +  penalty / 2 * sum of weights^2,   p = 1 / (1 + exp(-intercept - x weights))
    The intercept is not penalized; penalty > 0. Where all labels used are 0 or all are 1 that has no minimum: the
    weights are then 0 and the model says 0 or 1 of every row. The same input gives the same numbers, always.

    Source: Hastie, Tibshirani, Friedman 2009, 4.4. scikit-learn's LogisticRegression(C=1 / penalty) is the same on
    features standardized so.
    """
    from scipy.special import expit

    features, labels = np.asarray(features, np.float64), np.asarray(labels, np.float64)
    use = np.ones(labels.shape, bool) if use is None else np.logical_and(use, np.ones(labels.shape, bool))
    labels = np.broadcast_to(labels, use.shape)
    center, scale = _moments(features, use)
    rows = _standardised(features, center, scale)
    rows = np.concatenate([rows, np.ones((*rows.shape[:-1], 1))], axis=-1)
    positives, zeros = (np.where(use, target, 0.0).sum(axis=-1) for target in (labels, 1 - labels))
    constant = (positives == 0) | (zeros == 0)
    y = np.where(constant[..., None], 0.5, labels)  # something that has a minimum; set right below
    ridge = np.full(rows.shape[-1], float(penalty))
    ridge[-1] = 0.0
    beta = np.zeros((*use.shape[:-1], rows.shape[-1]))
    loss, active = _loss(rows, y, use, ridge, beta), np.ones(beta.shape[:-1], bool)
    for _ in range(STEPS):
        p = expit(np.einsum("...nf,...f->...n", rows, beta))
        slope = np.einsum("...nf,...n->...f", rows, np.where(use, p - y, 0.0)) + ridge * beta
        bend = np.einsum("...nf,...n,...ng->...fg", rows, np.where(use, p * (1 - p), 0.0), rows, optimize=True)
        bend = bend + np.diag(ridge + NEAR)
        step = np.where(active[..., None], np.linalg.solve(bend, slope[..., None])[..., 0], 0.0)
        beta, loss, change = _take_step(rows, y, use, ridge, beta, loss, step)
        active = active & (change > NEAR)  # a converged model no longer moves, whatever the others do
        if not active.any():
            break
    beta[constant] = 0.0
    intercept = np.where(constant, np.where(positives == 0, -np.inf, np.inf), beta[..., -1])
    return Logistic(beta[..., :-1], intercept, center, scale)


def cross_fitted(features: np.ndarray, labels: np.ndarray, fold: np.ndarray, *, penalty: float = 1.0,
                 folds: int | None = None) -> tuple[np.ndarray, Logistic]:
    """(what of each row the model says that was fitted to the rows of the other folds: (B, n); the K models (B, K)).

    features (B, n, F), labels (B, n); fold (B, n) int from 0, the same number for rows that belong together, such as
    answers to the same query: it must not depend on the labels. Each model needs a row outside its fold.
    Source: Zrnic and Candès 2024, Cross-prediction-powered inference.
    """
    k = int(fold.max()) + 1 if folds is None else folds
    use = np.asarray(fold)[..., None, :] != np.arange(k)[:, None]
    models = logistic(features[..., None, :, :], labels[..., None, :], penalty=penalty, use=use)
    predicted = models.predict(features[..., None, :, :])
    return np.where(use, 0.0, predicted).sum(axis=-2), models


def _moments(features: np.ndarray, use: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(mean, standard deviation) of each feature over the rows used where it is known: (B, F); 0 where nowhere."""
    observed = use[..., None] & ~np.isnan(features)
    count = np.maximum(observed.sum(axis=-2), 1)
    center = np.where(observed, features, 0.0).sum(axis=-2) / count
    deviations = np.where(observed, features - center[..., None, :], 0.0)
    scale = np.sqrt((deviations**2).sum(axis=-2) / count)
    return center, np.where(scale > 1e-12 * np.maximum(np.abs(center), 1.0), scale, 0.0)


def _standardised(features: np.ndarray, center: np.ndarray, scale: np.ndarray) -> np.ndarray:
    center, scale = center[..., None, :], scale[..., None, :]
    deviations = np.where(np.isnan(features), 0.0, features - center)
    return np.divide(
        deviations, scale, out=np.zeros(np.broadcast_shapes(deviations.shape, scale.shape)), where=scale > 0
    )


def _loss(rows: np.ndarray, y: np.ndarray, use: np.ndarray, ridge: np.ndarray, beta: np.ndarray) -> np.ndarray:
    z = np.einsum("...nf,...f->...n", rows, beta)
    return np.where(use, np.logaddexp(0.0, z) - y * z, 0.0).sum(axis=-1) + (ridge * beta**2).sum(axis=-1) / 2


def _take_step(rows: np.ndarray, y: np.ndarray, use: np.ndarray, ridge: np.ndarray, beta: np.ndarray, loss: np.ndarray,
             step: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(coefficients and loss after the step, halved where it led upwards; how far a coefficient went: (B,))."""
    size = np.ones(beta.shape[:-1])
    for _ in range(HALVINGS):
        new = beta - size[..., None] * step
        new_loss = _loss(rows, y, use, ridge, new)
        increased = new_loss > loss + 1e-12 * (1 + np.abs(loss))
        if not increased.any():
            break
        size = np.where(increased, size / 2, size)
    new = np.where(increased[..., None], beta, new)
    return new, np.where(increased, loss, new_loss), np.abs(new - beta).max(axis=-1)
