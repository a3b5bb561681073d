using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Transport;

/// <summary>An inbox that a node reads on its core thread.</summary>
/// <param name="inbox">Filled by others' threads.</param>
/// <param name="role">What it is for.</param>
/// <param name="channel">The channel whose reads it gives; null for unicast.</param>
internal sealed class InProcessPort(InProcessInbox inbox, SocketRole role, IRegionChannel? channel) : ReceivePort(role, channel)
{
    /// <summary>The inbox.</summary>
    public InProcessInbox Inbox { get; } = inbox;

    /// <inheritdoc/>
    public override bool IsReady => !Inbox.IsEmpty;

    /// <inheritdoc/>
    public override bool IsEmpty => Inbox.IsEmpty;
}
