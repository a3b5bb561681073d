using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>How long the first missing packet of a stream has been the same.</summary>
internal struct StuckMark
{
    /// <summary>The first missing packet at the last check.</summary>
    public ulong At;

    /// <summary>Time since which it is the first missing packet.</summary>
    public Instant Since;

    /// <summary>Number of tokens that have listed it as missing here since then.</summary>
    public int Listed;
}
