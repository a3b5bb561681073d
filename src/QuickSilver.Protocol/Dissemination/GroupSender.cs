using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination;

/// <summary>One group as this node sends to it. Core thread only.</summary>
public sealed class GroupSender
{
    internal GroupSender(GroupInfo group) => Group = group;

    /// <summary>Id, name and mode.</summary>
    public GroupInfo Group { get; }

    /// <summary>The stack's own object for the group.</summary>
    public object? Tag { get; set; }

    /// <summary>False while a limit of pending is reached.</summary>
    public bool IsOpen => throw new NotSupportedException();

    /// <summary>True when nothing admitted waits to be bound.</summary>
    public bool IsDrained => throw new NotSupportedException();

    /// <summary>Number of the message bound last; 0 before the first.</summary>
    public ulong LastNumber => throw new NotSupportedException();

    /// <summary>Members of the group in the step this node sends in, itself included; 0 while it cannot send.</summary>
    public int SendMemberCount => throw new NotSupportedException();

    /// <summary>The group view this node sends in.</summary>
    public StepNumber SendView => throw new NotSupportedException();

    /// <summary>Admits a message, open or not: the host stops when told that the gate has shut.</summary>
    /// <param name="payload">The bytes, with one reference that passes to the sender.</param>
    /// <param name="ticket">Told when the message is numbered and when it is stable; may be null.</param>
    /// <param name="now">The present instant.</param>
    public void Admit(Payload payload, SendTicket? ticket, Instant now) => throw new NotSupportedException();

    /// <summary>Asks to be told when everything admitted so far is stable; told before the call returns when it is already.</summary>
    public void Flush(Action<Instant> flushed, Instant now) => throw new NotSupportedException();

    /// <summary>Registers a source of messages; it is asked first after <see cref="Signal"/>.</summary>
    public void AddSource(IMessageSource source) => throw new NotSupportedException();

    /// <summary>Says that a source has something to send.</summary>
    public void Signal(IMessageSource source, Instant now) => throw new NotSupportedException();

    /// <summary>Forgets a source.</summary>
    public void RemoveSource(IMessageSource source) => throw new NotSupportedException();
}
