using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Hybrids;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>
/// One stream's part in hybrid packets: the groups that send them through it, and what a <see cref="HybridSender"/>
/// reports to the stream. Core thread only.
/// </summary>
internal sealed class StreamHybrids(
    SendContext context, StreamSender stream, StreamMessages messages, MemberCarriers carriers, StreamFeed feed)
{
    /// <summary>How long a region gets packets of its own after a member has missed nearly all of them.</summary>
    private static readonly TimeSpan PauseTime = TimeSpan.FromSeconds(60);

    private readonly List<HybridSender> _senders = [];
    private Alarm? _pauseEnds;

    /// <summary>True while the stream takes no part, since hybrid packets may not arrive.</summary>
    public bool ArePaused { get; private set; }

    /// <summary>True when a message waits for a hybrid packet.</summary>
    public bool AnyWaits
    {
        get
        {
            foreach (HybridSender sender in _senders)
            {
                if (!sender.IsEmpty) return true;
            }
            return false;
        }
    }

    /// <summary>The stream takes part in a group's hybrid packets.</summary>
    public void Add(HybridSender sender) => _senders.Add(sender);

    /// <summary>The stream takes no part in them any longer.</summary>
    public void Remove(HybridSender sender) => _senders.Remove(sender);

    /// <summary>True when a message of a group waits; with a ticket, the ticket's.</summary>
    public bool Hold(GroupSender group, SendTicket? ticket)
    {
        foreach (HybridSender sender in _senders)
        {
            if (sender.Holds(group, ticket)) return true;
        }
        return false;
    }

    /// <summary>The stream may have room again.</summary>
    public void OnUnblocked()
    {
        foreach (HybridSender sender in _senders) sender.OnUnblocked();
    }

    /// <summary>Nobody is left to send to: waiting messages count as sent and stable in the stream.</summary>
    public void OnGivenUp(Instant now)
    {
        for (int index = _senders.Count - 1; index >= 0; index--) _senders[index].OnGivenUp(stream, now);
    }

    /// <summary>
    /// Packets do not arrive at a member. Either the stream's own address does not reach it, or that of a group.
    /// </summary>
    public void Pause(Instant now)
    {
        if (_senders.Count == 0 && !ArePaused) return;
        ArePaused = true;
        _pauseEnds ??= new Alarm(context.Alarms, _ => ArePaused = false);
        _pauseEnds.Set(now + PauseTime);
    }

    /// <summary>True when a group's next message is its first in the stream.</summary>
    public bool IsFirst(int groupIndex) => messages.IsFirst(groupIndex);

    /// <summary>A message of a group is in the stream's next packet.</summary>
    public void Introduce(int groupIndex) => messages.Introduce(groupIndex);

    /// <summary>Takes the rest of a message of which the beginning left in a hybrid packet.</summary>
    public void AppendRest(OutgoingMessage message, int groupIndex, int start, bool isFirst)
    {
        messages.AppendRest(message, groupIndex, start, isFirst);
        messages.EndDirect();
        stream.OnUnblocked();
    }

    /// <summary>Handles a message whose last byte is in the hybrid packet that was added last.</summary>
    public void OnPacked(OutgoingMessage message, in Slice inPacket, Instant now) =>
        messages.OnPacked(message, inPacket, stream.Highest, now);

    /// <summary>Counts a message that waits for a hybrid packet as stable: nobody is there to receive it.</summary>
    public void DropUnsent(OutgoingMessage message, Instant now) => messages.DropUnsent(message, now);

    /// <summary>Hybrid packets were added, and leave now.</summary>
    public void OnSent(Instant now)
    {
        messages.TakePacked();
        carriers.OnTrain(now);
        feed.OnPackets(now);
        context.Events.OnStreamAdvanced(stream, stream.Urgency, now);
    }

    /// <summary>Cancels the alarm.</summary>
    public void Close() => _pauseEnds?.Cancel();
}
