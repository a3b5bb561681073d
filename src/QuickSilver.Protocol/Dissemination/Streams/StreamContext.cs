using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>What all streams of one node share.</summary>
/// <param name="Own">What the messages of the node share.</param>
/// <param name="Loop">Decides which lane binds its next message.</param>
/// <param name="Events">Receives the events of streams.</param>
internal sealed record StreamContext(OwnMessages Own, BindingLoop Loop, IDisseminationEvents Events)
{
    /// <summary>The node's shared state.</summary>
    public SendContext Send { get; } = Own.Context;

    /// <summary>How members have been reachable so far.</summary>
    public CarrierMemory Carriers { get; } = new();
}
