using System.Globalization;
using System.Text.Json.Serialization;
using QuickSilver.Inboxes;
using QuickSilver.Protocol.Membership;

namespace QuickSilver;

/// <summary>A received message: an owned copy, immutable, to be kept as long as wanted.</summary>
public sealed class Message
{
    private readonly IInboxOwner _handle;
    private readonly NodeInfo _sender;

    /// <summary>Makes a message by hand, for tests of code that handles messages. It belongs to no group.</summary>
    /// <param name="payload">The bytes; kept, not copied.</param>
    /// <param name="sender">Its sender.</param>
    /// <param name="senderName">The sender's name.</param>
    /// <param name="sequence">Its number.</param>
    /// <param name="groupName">The name of its group.</param>
    public Message(
        ReadOnlyMemory<byte> payload,
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

    internal Message(IInboxOwner handle, NodeInfo sender, ulong sequence, byte[] payload)
    {
        _handle = handle;
        _sender = sender;
        Sequence = sequence;
        Payload = payload;
    }

    /// <summary>The bytes.</summary>
    public ReadOnlyMemory<byte> Payload { get; }

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
    [JsonIgnore]
    public Group Group => (Group)_handle.Facade;

    /// <summary>"greetings 17 of host-4242-1, 5 bytes": for a log; the bytes themselves are not shown.</summary>
    public override string ToString() => Describe(_handle, _sender, Sequence, Payload.Length);

    /// <summary>What a message is called in a log, however it is held.</summary>
    internal static string Describe(IInboxOwner handle, NodeInfo sender, ulong sequence, int bytes) =>
        string.Create(CultureInfo.InvariantCulture, $"{handle.Name} {sequence} of {sender.Name}, {bytes} bytes");
}
