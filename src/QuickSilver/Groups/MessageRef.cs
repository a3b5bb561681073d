using QuickSilver.Inboxes;
using QuickSilver.Protocol.Membership;

namespace QuickSilver;

/// <summary>A message at the moment of its delivery, without a copy. Cannot leave the call that it is handed to.</summary>
public readonly ref struct MessageRef
{
    private readonly IInboxOwner _handle;
    private readonly NodeInfo _sender;

    /// <summary>Makes a message by hand, for tests of code that handles messages. It belongs to no group.</summary>
    /// <param name="payload">The bytes; borrowed.</param>
    /// <param name="sender">Its sender.</param>
    /// <param name="senderName">The sender's name.</param>
    /// <param name="sequence">Its number.</param>
    /// <param name="groupName">The name of its group.</param>
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

    /// <summary>The bytes.</summary>
    public ReadOnlySpan<byte> Payload { get; }

    /// <summary>Who sent it.</summary>
    public MemberId Sender => new(_sender);

    /// <summary>The sender's name, for people.</summary>
    public string SenderName => _sender.Name;

    /// <summary>Its number per (sender's incarnation, group), from 1, without gaps but for losses.</summary>
    public ulong Sequence { get; }

    /// <summary>The name of its group.</summary>
    public string GroupName => _handle.Name;

    /// <summary>The handle it came by.</summary>
    /// <exception cref="InvalidOperationException">The message was made by hand.</exception>
    public Group Group => (Group)_handle.Facade;

    /// <summary>An owned copy.</summary>
    public Message ToMessage() => new(_handle, _sender, Sequence, Payload.ToArray());

    /// <summary>"greetings 17 of host-4242-1, 5 bytes". Allocates the text: not for every message.</summary>
    public override string ToString() => Message.Describe(_handle, _sender, Sequence, Payload.Length);
}
