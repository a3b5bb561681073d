using System.Globalization;
using System.Text.Json.Serialization;
using QuickSilver.Inboxes;
using QuickSilver.Protocol.Membership;

namespace QuickSilver;

/// <summary>A received message as an owned copy. Immutable, and valid as long as the application keeps it.</summary>
public sealed class Message
{
    private readonly IInboxOwner _handle;
    private readonly NodeInfo _sender;

    /// <summary>Creates a message without a group, for tests of message handlers.</summary>
    /// <param name="payload">The bytes; kept without a copy.</param>
    /// <param name="sender">The sender.</param>
    /// <param name="senderName">Name of the sender.</param>
    /// <param name="sequence">Number of the message.</param>
    /// <param name="groupName">Name of the group.</param>
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

    /// <summary>The bytes of the message.</summary>
    public ReadOnlyMemory<byte> Payload { get; }

    /// <summary>The node that sent the message.</summary>
    public MemberId Sender => new(_sender);

    /// <summary>Readable name of the sender.</summary>
    public string SenderName => _sender.Name;

    /// <summary>Number of the message, per group and incarnation of the sender, from 1. Gaps mean lost messages, or
    /// pieces of long messages (<see cref="MessageSender.OpenWriter"/>).</summary>
    public ulong Sequence { get; }

    /// <summary>Name of the group.</summary>
    public string GroupName => _handle.Name;

    /// <summary>The handle that received the message; null for a message that was created by hand.</summary>
    [JsonIgnore]
    public Group? Group => Group.Of(_handle);

    /// <summary>Describes the message for a log, without its bytes: "greetings 17 of host-4242-1, 5 bytes".</summary>
    public override string ToString() => Describe(_handle, _sender, Sequence, Payload.Length);

    /// <summary>Describes a message of any kind for a log.</summary>
    internal static string Describe(IInboxOwner handle, NodeInfo sender, ulong sequence, int bytes) =>
        string.Create(CultureInfo.InvariantCulture, $"{handle.Name} {sequence} of {sender.Name}, {bytes} bytes");
}
