"""scikit-learn with array_api_dispatch, which needs SCIPY_ARRAY_API=1 as conftest.py sets it."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest
import sklearn
from sklearn import (
    base,
    calibration,
    decomposition,
    discriminant_analysis,
    kernel_approximation,
    linear_model,
    metrics,
    mixture,
    model_selection,
    naive_bayes,
    pipeline,
    preprocessing,
)

import jujunp

RANDOM = numpy.random.default_rng(5)
X = RANDOM.normal(size=(60, 4)) @ numpy.diag([1.0, 3.0, 0.5, 2.0]) + [0.0, 1.0, -2.0, 0.5]
TARGET = X @ [1.0, -2.0, 0.5, 0.0] + 0.1 * RANDOM.normal(size=60)
CLASSES = numpy.greater(TARGET, numpy.median(TARGET)).astype(int) + (X[:, 3] > 2.0)
LABELS = numpy.greater(TARGET, numpy.median(TARGET)).astype(int)
SCORES = 1.0 / (1.0 + numpy.exp(-TARGET - RANDOM.normal(size=60)))
GUESSES = numpy.where(RANDOM.uniform(size=60) < 0.7, CLASSES, 0)
WEIGHTS = RANDOM.uniform(0.5, 2.0, size=60)


@pytest.fixture(autouse=True)
def _dispatch():
    """Let scikit-learn use the namespace of the arrays that it gets."""
    with sklearn.config_context(array_api_dispatch=True):
        yield


def _learned(estimator):
    """Return the arrays among the attributes that fitting gives."""
    found = {}
    for name, value in vars(estimator).items():
        if name.endswith("_") and not name.startswith("_") and hasattr(value, "shape"):
            found[name] = value
    return found


def _fit(make, *methods, target=None):
    """Return a call that fits an estimator, and what its methods give."""

    def call(xp):
        estimator = make()
        x = xp.asarray(X)
        estimator.fit(x) if target is None else estimator.fit(x, xp.asarray(target))
        results = {}
        for method in methods:
            given = results["transform"] if method == "inverse_transform" else x
            results[method] = getattr(estimator, method)(given)
        return results | _learned(estimator)

    return call


def _threads(xp):
    """Return what four threads give; each has a configuration of its own."""

    def scale(factor):
        with sklearn.config_context(array_api_dispatch=True):
            return preprocessing.MinMaxScaler().fit_transform(xp.asarray(X) * factor)

    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(scale, range(1, 9)))


ESTIMATORS = {
    "StandardScaler": _fit(preprocessing.StandardScaler, "transform", "inverse_transform"),
    "MinMaxScaler": _fit(preprocessing.MinMaxScaler, "transform", "inverse_transform"),
    "MaxAbsScaler": _fit(preprocessing.MaxAbsScaler, "transform", "inverse_transform"),
    "Normalizer": _fit(preprocessing.Normalizer, "transform"),
    "Normalizer l1": _fit(lambda: preprocessing.Normalizer(norm="l1"), "transform"),
    "Binarizer": _fit(lambda: preprocessing.Binarizer(threshold=0.3), "transform"),
    "KernelCenterer": lambda xp: preprocessing.KernelCenterer().fit_transform(xp.asarray(X @ X.T)),
    "PolynomialFeatures": _fit(lambda: preprocessing.PolynomialFeatures(2), "transform"),
    "LabelEncoder": lambda xp: preprocessing.LabelEncoder().fit_transform(xp.asarray(CLASSES + 3)),
    "LabelBinarizer": lambda xp: preprocessing.LabelBinarizer().fit_transform(xp.asarray(CLASSES)),
    "PCA": _fit(lambda: decomposition.PCA(3, svd_solver="full"), "transform", "inverse_transform"),
    "PCA covariance": _fit(
        lambda: decomposition.PCA(2, svd_solver="covariance_eigh", whiten=True), "transform"
    ),
    "PCA randomized": _fit(
        lambda: decomposition.PCA(
            2, svd_solver="randomized", power_iteration_normalizer="QR", random_state=0
        ),
        "transform",
    ),
    "PCA fraction": _fit(
        lambda: decomposition.PCA(0.9, svd_solver="full"), "transform", "score_samples"
    ),
    "Ridge": _fit(lambda: linear_model.Ridge(solver="svd"), "predict", target=TARGET),
    "Ridge targets": _fit(
        lambda: linear_model.Ridge(solver="svd"),
        "predict",
        target=numpy.stack([TARGET, -TARGET], 1),
    ),
    "RidgeCV": _fit(linear_model.RidgeCV, "predict", target=TARGET),
    "RidgeClassifier": _fit(
        lambda: linear_model.RidgeClassifier(solver="svd"), "predict", target=CLASSES
    ),
    "RidgeClassifierCV": _fit(linear_model.RidgeClassifierCV, "predict", target=CLASSES),
    "LogisticRegression": _fit(
        lambda: linear_model.LogisticRegression(solver="lbfgs"),
        "predict",
        "predict_proba",
        target=CLASSES,
    ),
    "PoissonRegressor": _fit(
        linear_model.PoissonRegressor, "predict", target=numpy.exp(TARGET / 9)
    ),
    "LinearDiscriminantAnalysis": _fit(
        lambda: discriminant_analysis.LinearDiscriminantAnalysis(solver="svd"),
        "predict",
        "predict_proba",
        target=CLASSES,
    ),
    "GaussianNB": _fit(naive_bayes.GaussianNB, "predict", "predict_proba", target=CLASSES),
    "GaussianMixture": _fit(
        lambda: mixture.GaussianMixture(2, init_params="random", random_state=0),
        "predict",
        "predict_proba",
        "score_samples",
    ),
    "GaussianMixture diagonal": _fit(
        lambda: mixture.GaussianMixture(
            3, covariance_type="diag", init_params="random_from_data", random_state=1
        ),
        "predict",
        "bic",
    ),
    "Nystroem": _fit(
        lambda: kernel_approximation.Nystroem(n_components=7, random_state=0), "transform"
    ),
    "CalibratedClassifierCV": _fit(
        lambda: calibration.CalibratedClassifierCV(
            linear_model.RidgeClassifier(solver="svd"), method="temperature", cv=3
        ),
        "predict_proba",
        target=LABELS,
    ),
    "Pipeline": _fit(
        lambda: pipeline.make_pipeline(
            preprocessing.StandardScaler(),
            decomposition.PCA(3, svd_solver="full"),
            linear_model.Ridge(solver="svd"),
        ),
        "predict",
        target=TARGET,
    ),
    "FeatureUnion": _fit(
        lambda: pipeline.make_union(preprocessing.StandardScaler(), preprocessing.MinMaxScaler()),
        "transform",
    ),
    "clone and copy": lambda xp: copy.deepcopy(
        base.clone(preprocessing.StandardScaler()).fit(xp.asarray(X))
    ).transform(xp.asarray(X)),
    "pickle": lambda xp: pickle.loads(
        pickle.dumps(preprocessing.StandardScaler().fit(xp.asarray(X)))
    ).transform(xp.asarray(X)),
    "threads": _threads,
    "train_test_split": lambda xp: model_selection.train_test_split(
        xp.asarray(X), xp.asarray(CLASSES), random_state=0, stratify=xp.asarray(CLASSES)
    ),
    "cross_val_predict": lambda xp: model_selection.cross_val_predict(
        linear_model.Ridge(solver="svd"), xp.asarray(X), xp.asarray(TARGET), cv=3
    ),
}

NUMPY = {
    "cross_val_score": lambda xp: model_selection.cross_val_score(
        linear_model.Ridge(solver="svd"), xp.asarray(X), xp.asarray(TARGET), cv=3
    ),
    "GridSearchCV": lambda xp: (
        model_selection.GridSearchCV(
            linear_model.Ridge(solver="svd"), {"alpha": [0.1, 1.0, 10.0]}, cv=3
        )
        .fit(xp.asarray(X), xp.asarray(TARGET))
        .cv_results_["mean_test_score"]
    ),
}
"""Calls whose results are NumPy arrays by design, as they are scores."""


def _metric(name, *arrays, **options):
    """Return a call of a metric; options that are arrays come from the namespace as well."""

    def call(xp):
        own = {
            key: xp.asarray(value) if isinstance(value, numpy.ndarray) else value
            for key, value in options.items()
        }
        return getattr(metrics, name)(*(xp.asarray(a) for a in arrays), **own)

    return call


def _pairwise(names, *arrays):
    """Return calls of distances and kernels."""

    def call(name):
        return lambda xp: getattr(metrics.pairwise, name)(*(xp.asarray(a) for a in arrays))

    return {name: call(name) for name in names.split()}


PREDICTIONS = TARGET + RANDOM.normal(size=60)
POSITIVE = (numpy.exp(TARGET / 9), numpy.exp(PREDICTIONS / 9))

METRICS = {
    **{
        name: _metric(name, TARGET, PREDICTIONS, sample_weight=WEIGHTS)
        for name in (
            *("d2_absolute_error_score", "d2_pinball_score", "explained_variance_score"),
            *("mean_absolute_error", "mean_absolute_percentage_error", "mean_pinball_loss"),
            *("mean_squared_error", "median_absolute_error", "r2_score", "root_mean_squared_error"),
        )
    },
    **{
        name: _metric(name, *POSITIVE)
        for name in (
            *("d2_tweedie_score", "max_error", "mean_gamma_deviance", "mean_poisson_deviance"),
            *("mean_squared_log_error", "mean_tweedie_deviance", "root_mean_squared_log_error"),
        )
    },
    "r2_score raw": _metric(
        "r2_score",
        numpy.stack([TARGET, TARGET**2], 1),
        numpy.stack([PREDICTIONS, PREDICTIONS**2], 1),
        multioutput="raw_values",
    ),
    **{
        name: _metric(name, CLASSES, GUESSES)
        for name in (
            *("accuracy_score", "balanced_accuracy_score", "cohen_kappa_score", "confusion_matrix"),
            *("hamming_loss", "matthews_corrcoef", "multilabel_confusion_matrix", "zero_one_loss"),
        )
    },
    **{
        f"{name} {average}": _metric(name, CLASSES, GUESSES, average=average)
        for name in ("f1_score", "jaccard_score", "precision_score", "recall_score")
        for average in ("macro", "weighted", None)
    },
    "fbeta_score": _metric("fbeta_score", CLASSES, GUESSES, beta=0.5, average="micro"),
    "precision_recall_fscore_support": _metric(
        "precision_recall_fscore_support", CLASSES, GUESSES, zero_division=0.0
    ),
    "class_likelihood_ratios": _metric(
        "class_likelihood_ratios", LABELS, (GUESSES > 0).astype(int)
    ),
    "brier_score_loss": _metric("brier_score_loss", LABELS, SCORES),
    "log_loss": _metric("log_loss", LABELS, SCORES, sample_weight=WEIGHTS),
    "d2_brier_score": _metric("d2_brier_score", LABELS, SCORES),
    "d2_log_loss_score": _metric("d2_log_loss_score", LABELS, SCORES),
    "roc_curve": _metric("roc_curve", LABELS, SCORES),
    "roc_auc_score": _metric("roc_auc_score", LABELS, SCORES),
    "auc": _metric("auc", numpy.sort(SCORES), TARGET),
    "average_precision_score": _metric("average_precision_score", LABELS, SCORES),
    "precision_recall_curve": _metric("precision_recall_curve", LABELS, SCORES),
    "det_curve": _metric("det_curve", LABELS, SCORES),
    "confusion_matrix_at_thresholds": _metric("confusion_matrix_at_thresholds", LABELS, SCORES),
    "calinski_harabasz_score": _metric("calinski_harabasz_score", X, CLASSES),
    "davies_bouldin_score": _metric("davies_bouldin_score", X, CLASSES),
    **_pairwise(
        "additive_chi2_kernel chi2_kernel cosine_distances cosine_similarity euclidean_distances "
        "laplacian_kernel linear_kernel manhattan_distances polynomial_kernel rbf_kernel "
        "sigmoid_kernel",
        numpy.abs(X[:20]),
        numpy.abs(X[20:50]),
    ),
    **_pairwise(
        "paired_cosine_distances paired_euclidean_distances paired_manhattan_distances",
        X[:30],
        X[30:],
    ),
}

TABLES = {"estimators": ESTIMATORS, "metrics": METRICS, "numpy": NUMPY}


@pytest.mark.parametrize(
    ("table", "name"), [(table, name) for table, calls in TABLES.items() for name in calls]
)
def test_calls(table, name, same):
    """Each estimator and metric gives what it gives for NumPy arrays, in our arrays."""
    same(TABLES[table][name], ours=table != "numpy", rtol=1e-6)


def test_mixed_arrays_are_moved():
    """A target in NumPy's arrays does not disturb."""
    ridge = linear_model.Ridge(solver="svd").fit(jujunp.asarray(X), TARGET)
    expected = linear_model.Ridge(solver="svd").fit(X, TARGET)
    assert type(ridge.coef_) is jujunp.ndarray
    numpy.testing.assert_allclose(numpy.asarray(ridge.coef_), expected.coef_, rtol=1e-9)
