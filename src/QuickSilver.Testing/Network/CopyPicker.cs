using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Network;

/// <summary>Counts copies, and drops or holds back one of them.</summary>
internal sealed class CopyPicker(long which, TimeSpan late) : IDisturbance
{
    private long _seen;

    /// <inheritdoc/>
    public bool Drops(int source, int target, ulong ordinal, DatagramKind carries, Instant now) =>
        _seen++ == which && late == TimeSpan.Zero;

    // Asked right after the copy was not dropped.
    /// <inheritdoc/>
    public TimeSpan Delays(int source, int target, DatagramKind carries) => _seen == which + 1 ? late : default;
}
