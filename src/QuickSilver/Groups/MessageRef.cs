using QuickSilver.Inboxes;
using QuickSilver.Protocol.Membership;

namespace QuickSilver;

/// <summary>A message at the moment of delivery, without a copy. Valid only during the call that receives it.</summary>
public readonly ref struct MessageRef
{
    private readonly IInboxOwner _handle;
    private readonly NodeInfo _sender;

    /// <summary>Creates a message without a group, for tests of message handlers.</summary>
    /// <param name="payload">The bytes; borrowed.</param>
    /// <param name="sender">The sender.</param>
    /// <param name="senderName">Name of the sender.</param>
    /// <param name="sequence">Number of the message.</param>
    /// <param name="groupName">Name of the group.</param>
    public MessageRef(
        ReadOnlySpan<byte> payload,
        MemberId sender = default,
        string senderName = "",
        ulong sequence = 1,
        string groupName = "")
    {
        ArgumentNullException.ThrowIfNull(groupName);
        _handle = new DetachedOwner(groupName);
        _sender = DetachedOwner.Sender(sender, senderName);
        Sequence = sequence;
        Payload = payload;
    }

    internal MessageRef(IInboxOwner handle, NodeInfo sender, ulong sequence, ReadOnlySpan<byte> payload)
    {
        _handle = handle;
        _sender = sender;
        Sequence = sequence;
        Payload = payload;
    }

    /// <summary>The bytes of the message.</summary>
    public ReadOnlySpan<byte> Payload { get; }

    /// <summary>The node that sent the message.</summary>
    public MemberId Sender => new(_sender);

    /// <summary>Readable name of the sender.</summary>
    public string SenderName => _sender.Name;

    /// <summary>Number of the message, per group and incarnation of the sender, from 1. Gaps mean lost
    /// messages.</summary>
    public ulong Sequence { get; }

    /// <summary>Name of the group.</summary>
    public string GroupName => _handle.Name;

    /// <summary>The handle that received the message; null for a message that was created by hand.</summary>
    public Group? Group => Group.Of(_handle);

    /// <summary>Copies the message, to keep it after the call.</summary>
    public Message ToMessage() => new(_handle, _sender, Sequence, Payload.ToArray());

    /// <summary>Describes the message for a log: "greetings 17 of host-4242-1, 5 bytes". Allocates; not for every
    /// message.</summary>
    public override string ToString() => Message.Describe(_handle, _sender, Sequence, Payload.Length);
}
