namespace QuickSilver.Bench.Lab;

/// <summary>Over which network the processes of a run talk.</summary>
internal enum NetProfile
{
    /// <summary>This machine's own loopback, with whatever else uses it: needs no rights.</summary>
    Host,

    /// <summary>The loopback of a network namespace made for the run: MTU 65,536, nothing else on it. Needs
    /// root.</summary>
    Loopback,

    /// <summary>A namespace for each process, joined by a bridge: MTU 1,500, but trains of segments pass whole. Needs
    /// root.</summary>
    Bridge,

    /// <summary>As <see cref="Bridge"/>, with segmentation offload off: each packet crosses by itself, as on a wire.
    /// Needs root.</summary>
    Wire,
}
