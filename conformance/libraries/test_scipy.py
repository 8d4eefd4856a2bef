"""SciPy with SCIPY_ARRAY_API=1, which conftest.py sets before SciPy is imported."""

import numpy
import pytest
from scipy import (
    cluster,
    constants,
    differentiate,
    fft,
    integrate,
    interpolate,
    linalg,
    ndimage,
    signal,
    special,
    stats,
)
from scipy.optimize import elementwise, rosen, rosen_der, rosen_hess, rosen_hess_prod
from scipy.spatial.transform import RigidTransform, Rotation, Slerp

RANDOM = numpy.random.default_rng(7)
X = RANDOM.normal(size=(5, 24))
Y = RANDOM.normal(size=(5, 24)) + 0.5 * X
POSITIVE = numpy.abs(X) + 0.1
UNIT = RANDOM.uniform(0.05, 0.95, size=(3, 8))
COUNTS = RANDOM.integers(1, 9, size=(4, 12))
Z = RANDOM.normal(size=(4, 16)) + 1j * RANDOM.normal(size=(4, 16))
QUATERNIONS = RANDOM.normal(size=(6, 4))
VECTORS = RANDOM.normal(size=(6, 3))
SIGNAL = numpy.sin(numpy.linspace(0, 20, 256)) + 0.1 * RANDOM.normal(size=256)


def _plain(module, names, *data):
    """Return calls of functions that take these arrays and nothing else."""

    def call(name):
        return lambda xp: getattr(module, name)(*(xp.asarray(x) for x in data))

    return {name: call(name) for name in names.split()}


SPECIAL = {
    **_plain(
        special,
        "cbrt cosdg digamma ellipk entr erf erfc erfcx erfinv exp1 exp10 exp2 expi expit gamma "
        "gammaln i0 i0e i1 i1e j0 j1 k0 k1 log1p log_ndtr log_softmax loggamma logit logsumexp "
        "ndtr ndtri psi rgamma sinc softmax zetac",
        UNIT,
    ),
    **_plain(
        special,
        "betaln binom boxcox chdtr chdtrc gammainc gammaincc gammaincinv huber kl_div poch "
        "pseudo_huber rel_entr stdtr xlog1py xlogy",
        UNIT,
        UNIT[0] + 1.0,
    ),
    "betainc": lambda xp: special.betainc(2.0, 3.0, xp.asarray(UNIT)),
    "stdtrit": lambda xp: special.stdtrit(3.0, xp.asarray(UNIT)),
    "zeta": lambda xp: special.zeta(xp.asarray(UNIT) + 1.5, 1.0),
    "logsumexp axis": lambda xp: special.logsumexp(xp.asarray(X), axis=1, keepdims=True),
    "logsumexp weights": lambda xp: special.logsumexp(
        xp.asarray(X), axis=0, b=xp.asarray(Y), return_sign=True
    ),
    "logsumexp complex": lambda xp: special.logsumexp(xp.asarray(Z), axis=1),
    "softmax axis": lambda xp: special.softmax(xp.asarray(X, dtype=xp.float32), axis=0),
    "multigammaln": lambda xp: special.multigammaln(xp.asarray(POSITIVE) + 3.0, 2),
    "expit float32": lambda xp: special.expit(xp.asarray(X, dtype=xp.float32)),
}


def _statistic(name, *arrays, **options):
    """Return a call of a function of scipy.stats."""
    return lambda xp: getattr(stats, name)(*(xp.asarray(a) for a in arrays), **options)


def _statistics(names, *arrays, **options):
    """Return calls of functions of scipy.stats, by name."""
    return {name: _statistic(name, *arrays, **options) for name in names.split()}


STATS = {
    **_statistics(
        "circmean circstd circvar describe differential_entropy iqr jarque_bera kstat kurtosis "
        "kurtosistest lmoment moment normaltest rankdata sem skew skewtest tmax tmean tmin tsem "
        "tstd tvar variation zscore",
        X,
        axis=-1,
    ),
    **_statistics("entropy gmean gstd gzscore hmean", POSITIVE, axis=1),
    **_statistics(
        "alexandergovern ansari bartlett brunnermunzel chatterjeexi f_oneway fligner kruskal "
        "levene mannwhitneyu mood pearsonr spearmanrho ttest_ind ttest_rel wilcoxon zmap",
        X,
        Y,
        axis=1,
    ),
    "ttest_ind unequal": _statistic("ttest_ind", X[:, :20], Y, axis=1, equal_var=False),
    "ttest_1samp": _statistic("ttest_1samp", X, popmean=0.1, axis=1),
    "mannwhitneyu asymptotic": _statistic("mannwhitneyu", X, Y, axis=1, method="asymptotic"),
    "wilcoxon asymptotic": _statistic("wilcoxon", X, Y, axis=1, method="asymptotic"),
    "friedmanchisquare": _statistic("friedmanchisquare", X, Y, X + Y, axis=1),
    "ks_1samp": lambda xp: (
        stats.ks_1samp(xp.asarray(X), special.ndtr, axis=1, method="asymp").pvalue
    ),
    "cramervonmises": lambda xp: stats.cramervonmises(xp.asarray(X), special.ndtr, axis=1).pvalue,
    "directional_stats": lambda xp: stats.directional_stats(xp.asarray(VECTORS)).mean_direction,
    "entropy base": _statistic("entropy", POSITIVE, axis=1, base=2),
    "entropy relative": _statistic("entropy", POSITIVE, POSITIVE[::-1].copy(), axis=1),
    "chisquare": _statistic("chisquare", COUNTS, axis=1),
    "power_divergence": _statistic("power_divergence", COUNTS, axis=1, lambda_=-0.5),
    "combine_pvalues": _statistic("combine_pvalues", UNIT, axis=1, method="stouffer"),
    "false_discovery_control": _statistic("false_discovery_control", UNIT, axis=1),
    "boxcox_llf": lambda xp: stats.boxcox_llf(0.3, xp.asarray(POSITIVE), axis=1),
    "yeojohnson_llf": lambda xp: stats.yeojohnson_llf(0.3, xp.asarray(X[0])),
    "lmoment": _statistic("lmoment", X, order=[1, 2, 3], axis=1),
    "kstat": _statistic("kstat", X, n=3, axis=1),
    "kstatvar": _statistic("kstatvar", X, n=2, axis=1),
    "mode": _statistic("mode", COUNTS, axis=1),
    "moment": _statistic("moment", X, order=[2, 3], axis=1),
    "pmean": lambda xp: stats.pmean(
        xp.asarray(POSITIVE), 2.5, axis=1, weights=xp.asarray(POSITIVE)
    ),
    "quantile": lambda xp: stats.quantile(xp.asarray(X), xp.asarray([0.1, 0.5]), axis=1),
    "rankdata ties": _statistic("rankdata", COUNTS, axis=1, method="average"),
    "trim_mean": _statistic("trim_mean", X, proportiontocut=0.1, axis=1),
    "sigmaclip": lambda xp: stats.sigmaclip(xp.asarray(X), 1.5, 1.5),
    "nan omit": lambda xp: stats.skew(
        xp.where(xp.asarray(X[0]) > 1, xp.nan, xp.asarray(X[0])), nan_policy="omit"
    ),
    "nan propagate": lambda xp: stats.ttest_1samp(
        xp.where(xp.asarray(X) > 2, xp.nan, xp.asarray(X)), 0.0, axis=1
    ),
    "gaussian interval": lambda xp: stats.ttest_ind(
        xp.asarray(X[0]), xp.asarray(Y[0])
    ).confidence_interval(),
    "bootstrap": lambda xp: (
        stats.bootstrap(
            (xp.asarray(X),), xp.mean, axis=1, n_resamples=99, rng=1, method="percentile"
        ).confidence_interval
    ),
    "permutation_test": lambda xp: (
        stats.permutation_test(
            (xp.asarray(X[0]), xp.asarray(Y[0])),
            lambda x, y, axis: xp.mean(x, axis=axis) - xp.mean(y, axis=axis),
            n_resamples=99,
            rng=1,
        ).pvalue
    ),
    "monte_carlo_test": lambda xp: (
        stats.monte_carlo_test(
            xp.asarray(X[0]),
            lambda size: xp.asarray(numpy.random.default_rng(1).normal(size=size)),
            stats.skew,
            n_resamples=99,
        ).pvalue
    ),
}

SOS = signal.butter(4, 0.2, output="sos")
TAPS = signal.firwin(15, 0.3)

SIGNALS = {
    "convolve": lambda xp: signal.convolve(xp.asarray(SIGNAL), xp.asarray(TAPS), mode="same"),
    "convolve direct": lambda xp: signal.convolve(xp.asarray(X), xp.asarray(Y), method="direct"),
    "convolve2d": lambda xp: signal.convolve2d(xp.asarray(X), xp.asarray(Y[:3, :3])),
    "correlate": lambda xp: signal.correlate(xp.asarray(SIGNAL), xp.asarray(TAPS)),
    "correlate2d": lambda xp: signal.correlate2d(xp.asarray(X), xp.asarray(Y[:3, :3]), mode="same"),
    "fftconvolve": lambda xp: signal.fftconvolve(xp.asarray(X), xp.asarray(Y), axes=1),
    "oaconvolve": lambda xp: signal.oaconvolve(xp.asarray(SIGNAL), xp.asarray(TAPS)),
    "detrend": lambda xp: signal.detrend(xp.asarray(X), axis=1),
    "detrend constant": lambda xp: signal.detrend(xp.asarray(X), axis=0, type="constant"),
    "hilbert": lambda xp: signal.hilbert(xp.asarray(X), axis=1),
    "hilbert2": lambda xp: signal.hilbert2(xp.asarray(X)),
    "envelope": lambda xp: signal.envelope(xp.asarray(SIGNAL), (1, 20)),
    "firwin": lambda xp: signal.firwin(9, xp.asarray([0.2, 0.5]), pass_zero=False),
    "freqz": lambda xp: signal.freqz(xp.asarray(TAPS), worN=64),
    "freqz_sos": lambda xp: signal.freqz_sos(xp.asarray(SOS), worN=64),
    "freqs": lambda xp: signal.freqs(
        xp.asarray([1.0, 2.0]), xp.asarray([1.0, 3.0, 2.0]), worN=xp.asarray([0.1, 1.0, 5.0])
    ),
    "group_delay": lambda xp: signal.group_delay((xp.asarray(TAPS), xp.asarray([1.0])), w=16),
    "lfilter": lambda xp: signal.lfilter(
        xp.asarray([0.2, 0.3]), xp.asarray([1.0, -0.5]), xp.asarray(SIGNAL)
    ),
    "filtfilt": lambda xp: signal.filtfilt(
        xp.asarray([0.2, 0.3]), xp.asarray([1.0, -0.5]), xp.asarray(SIGNAL)
    ),
    "lfilter_zi": lambda xp: signal.lfilter_zi(xp.asarray([0.2, 0.3]), xp.asarray([1.0, -0.5])),
    "lp2hp": lambda xp: signal.lp2hp(xp.asarray([1.0]), xp.asarray([1.0, 2.0, 1.0]), wo=2.0),
    "bilinear_zpk": lambda xp: signal.bilinear_zpk(
        xp.asarray([-1.0]), xp.asarray([-2.0, -3.0]), 1.5, fs=2.0
    ),
    "zpk2tf": lambda xp: signal.zpk2tf(xp.asarray([-1.0]), xp.asarray([-2.0, -3.0]), 1.5),
    "tf2zpk": lambda xp: signal.tf2zpk(xp.asarray([1.0, 3.0]), xp.asarray([1.0, 2.0, 0.5])),
    "sos2zpk": lambda xp: signal.sos2zpk(xp.asarray(SOS))[2],
    "medfilt": lambda xp: signal.medfilt(xp.asarray(SIGNAL), 5),
    "wiener": lambda xp: signal.wiener(xp.asarray(SIGNAL), 5),
    "minimum_phase": lambda xp: signal.minimum_phase(xp.asarray(TAPS), n_fft=256),
    "resample": lambda xp: signal.resample(xp.asarray(SIGNAL), 100),
    "resample_poly": lambda xp: signal.resample_poly(xp.asarray(SIGNAL), 3, 2),
    "savgol_filter": lambda xp: signal.savgol_filter(xp.asarray(SIGNAL), 7, 2),
    "upfirdn": lambda xp: signal.upfirdn(xp.asarray(TAPS), xp.asarray(SIGNAL), up=2, down=3),
    "vectorstrength": lambda xp: signal.vectorstrength(xp.asarray(SIGNAL), 0.7),
    "cspline1d": lambda xp: signal.cspline1d(xp.asarray(SIGNAL)),
    "gausspulse": lambda xp: signal.gausspulse(xp.asarray(X[0]), fc=2),
    "windows": lambda xp: signal.get_window(("kaiser", 6.0), 16, xp=xp),
    "windows.general_cosine": lambda xp: signal.windows.general_cosine(
        12, xp.asarray([0.4, 0.5, 0.1])
    ),
    "windows.hann": lambda xp: signal.windows.hann(12, xp=xp),
    "windows.dpss": lambda xp: signal.windows.dpss(32, 3, xp=xp),
}

TRANSFORMS = {
    **_plain(
        fft, "fft ifft fft2 ifft2 fftn ifftn hfft irfft irfft2 irfftn fftshift hfft2 hfftn", Z
    ),
    **_plain(
        fft,
        "rfft rfft2 rfftn ihfft ihfft2 ihfftn ifftshift dct idct dst idst dctn idctn dstn idstn",
        X,
    ),
    "fft padded": lambda xp: fft.fft(xp.asarray(X), n=40, axis=0, norm="ortho"),
    "fftfreq": lambda xp: fft.fftfreq(9, 0.5, xp=xp),
    "rfftfreq": lambda xp: fft.rfftfreq(9, 0.5, xp=xp),
    "fht": lambda xp: fft.fht(xp.asarray(POSITIVE), 0.1, 0.5),
    "ifht": lambda xp: fft.ifht(xp.asarray(POSITIVE), 0.1, 0.5),
}

INTEGRALS = {
    "trapezoid": lambda xp: integrate.trapezoid(xp.asarray(X), dx=0.5),
    "trapezoid x": lambda xp: integrate.trapezoid(
        xp.asarray(X), x=xp.cumulative_sum(xp.asarray(POSITIVE[0])), axis=1
    ),
    "cumulative_trapezoid": lambda xp: integrate.cumulative_trapezoid(xp.asarray(X), initial=0),
    "cumulative_simpson": lambda xp: integrate.cumulative_simpson(xp.asarray(X), dx=0.5),
    "romb": lambda xp: integrate.romb(xp.asarray(X[:, :17])),
    "fixed_quad": lambda xp: integrate.fixed_quad(lambda x: xp.exp(x), 0.0, 1.0, n=6)[0],
    "cubature": lambda xp: (
        integrate.cubature(
            lambda x: xp.exp(-xp.sum(x**2, axis=-1)), xp.asarray([0.0, 0.0]), xp.asarray([1.0, 2.0])
        ).estimate
    ),
    "cubature infinite": lambda xp: (
        integrate.cubature(
            lambda x: xp.exp(-xp.sum(x**2, axis=-1)), xp.asarray([-xp.inf]), xp.asarray([xp.inf])
        ).estimate
    ),
    "tanhsinh": lambda xp: integrate.tanhsinh(
        lambda x, a: xp.exp(-a * x), xp.asarray(0.0), xp.asarray(2.0), args=(xp.asarray(UNIT),)
    ),
    "tanhsinh infinite": lambda xp: (
        integrate.tanhsinh(
            lambda x: xp.exp(-(x**2)), xp.asarray(-xp.inf), xp.asarray([0.0, xp.inf])
        ).integral
    ),
    "nsum": lambda xp: (
        integrate.nsum(
            lambda k, p: 1 / k**p,
            xp.asarray(1.0),
            xp.asarray(xp.inf),
            args=(xp.asarray([2.0, 3.0]),),
        ).sum
    ),
}

ELEMENTWISE = {
    "find_root": lambda xp: elementwise.find_root(
        lambda x, c: x * x * x - c, (xp.asarray(0.0), xp.asarray(4.0)), args=(xp.asarray(POSITIVE),)
    ),
    "find_minimum": lambda xp: elementwise.find_minimum(
        lambda x, c: (x - c) ** 2,
        (xp.asarray(-9.0), xp.asarray(0.5), xp.asarray(9.0)),
        args=(xp.asarray(UNIT),),
    ),
    "bracket_root": lambda xp: elementwise.bracket_root(
        lambda x, c: x * x * x - c, xp.asarray(0.0), xp.asarray(0.1), args=(xp.asarray(POSITIVE),)
    ),
    "bracket_minimum": lambda xp: elementwise.bracket_minimum(
        lambda x, c: (x - c) ** 2, xp.asarray(20.0), args=(xp.asarray(UNIT),)
    ),
    "derivative": lambda xp: differentiate.derivative(xp.exp, xp.asarray(UNIT)).df,
    "jacobian": lambda xp: (
        differentiate.jacobian(
            lambda x: xp.stack([x[0] * x[1], xp.sin(x[0])]), xp.asarray(UNIT[:2])
        ).df
    ),
    "hessian": lambda xp: (
        differentiate.hessian(lambda x: x[0] ** 2 * x[1], xp.asarray(UNIT[:2, 0])).ddf
    ),
    "rosen": lambda xp: rosen(xp.asarray(UNIT)),
    "rosen_der": lambda xp: rosen_der(xp.asarray(UNIT[0])),
    "rosen_hess": lambda xp: rosen_hess(xp.asarray(UNIT[0])),
    "rosen_hess_prod": lambda xp: rosen_hess_prod(xp.asarray(UNIT[0]), xp.asarray(UNIT[1])),
}


def _rotation(use):
    """Return a call that does something with six rotations."""
    return lambda xp: use(Rotation.from_quat(xp.asarray(QUATERNIONS)), xp)


ROTATIONS = {
    "as_quat": _rotation(lambda r, xp: r.as_quat(canonical=True)),
    "as_matrix": _rotation(lambda r, xp: r.as_matrix()),
    "as_rotvec": _rotation(lambda r, xp: r.as_rotvec(degrees=True)),
    "as_mrp": _rotation(lambda r, xp: r.as_mrp()),
    "as_euler": _rotation(lambda r, xp: r.as_euler("xyz")),
    "as_davenport": _rotation(
        lambda r, xp: r.as_davenport(xp.asarray([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]]), "extrinsic")
    ),
    "apply": _rotation(lambda r, xp: r.apply(xp.asarray(VECTORS))),
    "apply inverse": _rotation(lambda r, xp: r.apply(xp.asarray(VECTORS[0]), inverse=True)),
    "inv": _rotation(lambda r, xp: r.inv().as_quat()),
    "mul": _rotation(lambda r, xp: (r * r.inv() * r).as_matrix()),
    "pow": _rotation(lambda r, xp: (r**0.5).as_quat()),
    "magnitude": _rotation(lambda r, xp: r.magnitude()),
    "mean": _rotation(lambda r, xp: r.mean().as_matrix()),
    "approx_equal": _rotation(lambda r, xp: r.approx_equal(r[0])),
    "index": _rotation(lambda r, xp: r[1:4].as_quat()),
    "from_matrix": _rotation(lambda r, xp: Rotation.from_matrix(r.as_matrix()).as_matrix()),
    "from_rotvec": lambda xp: Rotation.from_rotvec(xp.asarray(VECTORS)).as_quat(),
    "from_euler": lambda xp: Rotation.from_euler("ZYX", xp.asarray(VECTORS)).as_quat(),
    "from_mrp": lambda xp: Rotation.from_mrp(xp.asarray(VECTORS)).as_quat(),
    "concatenate": _rotation(lambda r, xp: Rotation.concatenate([r, r.inv()]).as_quat()),
    "align_vectors": _rotation(
        lambda r, xp: Rotation.align_vectors(r[0].apply(xp.asarray(VECTORS)), xp.asarray(VECTORS))[
            0
        ].as_matrix()
    ),
    "slerp": _rotation(lambda r, xp: Slerp(xp.arange(6.0), r)(xp.asarray([0.5, 2.25])).as_quat()),
    "rigid": lambda xp: RigidTransform.from_exp_coords(xp.asarray(RIGID)).apply(
        xp.asarray(VECTORS[0])
    ),
    "rigid product": lambda xp: (
        (
            RigidTransform.from_translation(xp.asarray(VECTORS))
            * RigidTransform.from_rotation(Rotation.from_quat(xp.asarray(QUATERNIONS)))
        )
        .inv()
        .as_matrix()
    ),
}
RIGID = RANDOM.normal(size=(4, 6))

OTHERS = {
    "cluster.vq.whiten": lambda xp: cluster.vq.whiten(xp.asarray(X)),
    "cluster.vq.vq": lambda xp: cluster.vq.vq(xp.asarray(X), xp.asarray(Y)),
    "cluster.vq.kmeans": lambda xp: cluster.vq.kmeans(xp.asarray(X), xp.asarray(Y[:2])),
    "cluster.vq.kmeans2": lambda xp: cluster.vq.kmeans2(
        xp.asarray(X), xp.asarray(X[:2]), minit="matrix"
    ),
    "cluster.hierarchy.linkage": lambda xp: cluster.hierarchy.linkage(xp.asarray(X), "ward"),
    "cluster.hierarchy.fcluster": lambda xp: cluster.hierarchy.fcluster(
        cluster.hierarchy.linkage(xp.asarray(X), "single"), 3, "maxclust"
    ),
    "constants": lambda xp: constants.convert_temperature(xp.asarray(X), "C", "F"),
    "linalg.procrustes": lambda xp: linalg.orthogonal_procrustes(
        xp.asarray(VECTORS), xp.asarray(VECTORS[::-1].copy())
    ),
    "ndimage.gaussian_filter": lambda xp: ndimage.gaussian_filter(xp.asarray(X), 1.0),
    "ndimage.label": lambda xp: ndimage.label(xp.asarray(X) > 0),
    "ndimage.sobel": lambda xp: ndimage.sobel(xp.asarray(X), axis=1),
    "interpolate.make_interp_spline": lambda xp: interpolate.make_interp_spline(
        xp.arange(24.0), xp.asarray(X[0])
    )(xp.asarray([0.5, 7.25])),
    "interpolate.PchipInterpolator": lambda xp: interpolate.PchipInterpolator(
        xp.arange(24.0), xp.asarray(X[0])
    )(xp.asarray([0.5, 7.25])),
    "interpolate.RegularGridInterpolator": lambda xp: interpolate.RegularGridInterpolator(
        (xp.arange(5.0), xp.arange(24.0)), xp.asarray(X)
    )(xp.asarray([[0.5, 7.25]])),
}

TABLES = {
    "special": SPECIAL,
    "stats": STATS,
    "signal": SIGNALS,
    "fft": TRANSFORMS,
    "integrate": INTEGRALS,
    "elementwise": ELEMENTWISE,
    "rotation": ROTATIONS,
    "others": OTHERS,
}

FLOAT32 = ("softmax axis", "expit float32")


@pytest.mark.parametrize(
    ("table", "name"), [(table, name) for table, calls in TABLES.items() for name in calls]
)
def test_calls(table, name, same):
    """Each function gives what it gives for NumPy arrays, in our arrays."""
    same(TABLES[table][name], rtol=1e-5 if name in FLOAT32 else 1e-7)
