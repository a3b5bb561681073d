using QuickSilver.Inboxes;
using QuickSilver.Protocol.Membership;

namespace QuickSilver;

/// <summary>A message at the moment of its delivery, without a copy. Cannot leave the call that it is handed to.</summary>
public readonly ref struct MessageRef
{
    private readonly IInboxOwner _handle;
    private readonly NodeInfo _sender;

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

    /// <summary>The handle it came by.</summary>
    public Group Group => (Group)_handle.Facade;

    /// <summary>An owned copy.</summary>
    public Message ToMessage() => new(_handle, _sender, Sequence, Payload.ToArray());

    /// <summary>"greetings 17 of host-4242-1, 5 bytes". Allocates the text: not for every message.</summary>
    public override string ToString() => Message.Describe(_handle, _sender, Sequence, Payload.Length);
}
