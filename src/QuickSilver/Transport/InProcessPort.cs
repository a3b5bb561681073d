using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Transport;

/// <summary>A port that reads an in-process inbox.</summary>
/// <param name="inbox">The inbox, which the threads of senders fill.</param>
/// <param name="role">The kind of datagrams that it receives.</param>
/// <param name="channel">The channel of its reads; null for unicast.</param>
internal sealed class InProcessPort(InProcessInbox inbox, SocketRole role, IRegionChannel? channel)
    : ReceivePort(role, channel)
{
    /// <summary>The inbox that it reads.</summary>
    public InProcessInbox Inbox { get; } = inbox;

    /// <inheritdoc/>
    public override bool IsReady => !Inbox.IsEmpty;

    /// <inheritdoc/>
    public override bool IsEmpty => Inbox.IsEmpty;
}
