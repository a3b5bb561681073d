using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>One group that this node is in (or is leaving): the host's handle on it. Core thread only.</summary>
public sealed class LocalGroup
{
    internal LocalGroup(GroupInfo info) => Info = info;

    /// <summary>Id, name and mode.</summary>
    public GroupInfo Info { get; }

    /// <summary>The host's own object for the group; set in <see cref="JoinRequest.OnAdmitted"/>.</summary>
    public object? Tag { get; set; }

    /// <summary>True when a message may be admitted: the group is joined, not being left, and no limit of pending is reached.</summary>
    public bool IsOpen => throw new NotSupportedException();

    /// <summary>The newest installed group view: the step that last changed the member set.</summary>
    public StepNumber View => throw new NotSupportedException();

    /// <summary>The region views that make up the group, as installed.</summary>
    public IReadOnlyList<RegionView> Regions => throw new NotSupportedException();

    /// <summary>Members of the group in the step that this node sends in, itself included.</summary>
    public int SendMemberCount => throw new NotSupportedException();

    /// <summary>
    /// Admits a message. Taken even when <see cref="IsOpen"/> is false (it was admitted on another thread a moment ago): the host stops when told that the gate has shut.
    /// </summary>
    /// <param name="payload">The bytes, with one reference that passes to the protocol.</param>
    /// <param name="ticket">Told when the message is numbered and when it is stable; may be null.</param>
    /// <param name="now">The present instant.</param>
    public void Send(Payload payload, SendTicket? ticket, Instant now) => throw new NotSupportedException();

    /// <summary>Asks to be told when everything admitted so far is stable.</summary>
    public void Flush(FlushRequest request, Instant now) => throw new NotSupportedException();

    /// <summary>Registers a source of messages. It is asked first after <see cref="Signal"/>.</summary>
    public void AddSource(IMessageSource source) => throw new NotSupportedException();

    /// <summary>Says that a source has something to send.</summary>
    public void Signal(IMessageSource source, Instant now) => throw new NotSupportedException();

    /// <summary>Forgets a source.</summary>
    public void RemoveSource(IMessageSource source) => throw new NotSupportedException();
}
