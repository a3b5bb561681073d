using System.IO.Pipelines;
using System.Text.Json.Serialization;
using QuickSilver.Inboxes;
using QuickSilver.Protocol.Membership;

namespace QuickSilver;

/// <summary>
/// A message of any length, sent through <see cref="MessageSender.OpenWriter"/>. It is handed out when it
/// begins, and read while it arrives. All members that read it get the same bytes, to the end or to an error.
/// </summary>
public sealed class LongMessage
{
    private readonly IInboxOwner _handle;
    private readonly NodeInfo _sender;

    /// <summary>Creates a long message without a group, for tests of code that reads them.</summary>
    /// <param name="body">The content.</param>
    /// <param name="sender">The sender.</param>
    /// <param name="senderName">Name of the sender.</param>
    /// <param name="sequence">Number of the message's first piece.</param>
    /// <param name="groupName">Name of the group.</param>
    public LongMessage(
        PipeReader body, MemberId sender = default, string senderName = "", ulong sequence = 1, string groupName = "")
    {
        ArgumentNullException.ThrowIfNull(body);
        ArgumentNullException.ThrowIfNull(groupName);
        _handle = new DetachedOwner(groupName);
        _sender = DetachedOwner.Sender(sender, senderName);
        Sequence = sequence;
        Body = body;
    }

    internal LongMessage(IInboxOwner handle, NodeInfo sender, ulong sequence, PipeReader body)
    {
        _handle = handle;
        _sender = sender;
        Sequence = sequence;
        Body = body;
    }

    /// <summary>The content. One reader at a time; complete it when it is no longer wanted, read to the end or
    /// not.</summary>
    /// <remarks>
    /// A read returns <see cref="ReadResult.IsCompleted"/> only when every byte has arrived. Otherwise it throws, and
    /// what was unread is dropped:
    /// <see cref="QuickSilverException"/> with <see cref="ErrorCode.LongMessageGivenUp"/> when the sender gave the
    /// message up, with <see cref="ErrorCode.LongMessageIncomplete"/> when the sender has left or failed;
    /// <see cref="SlowConsumerException"/> when more than <see cref="DeliveryOptions.LongMessageMaxUnreadBytes"/> were
    /// unread; the reason of the handle's end when this node left the group.
    /// </remarks>
    [JsonIgnore]
    public PipeReader Body { get; }

    /// <summary>The node that sends the message.</summary>
    public MemberId Sender => new(_sender);

    /// <summary>Readable name of the sender.</summary>
    public string SenderName => _sender.Name;

    /// <summary>Number of the message's first piece among the sender's messages to the group.</summary>
    public ulong Sequence { get; }

    /// <summary>Name of the group.</summary>
    public string GroupName => _handle.Name;

    /// <summary>Describes the message for a log: "files 17 of host-4242-1, a long message".</summary>
    public override string ToString() => $"{_handle.Name} {Sequence} of {_sender.Name}, a long message";
}
