using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Timed;

/// <summary>
/// The sessions of one timed group at this node, where they hear and send, and what they are given. Core thread only.
/// </summary>
internal abstract class TimedStay(TimedContext context, GroupInfo info, TimedSettings settings)
{
    public GroupInfo Info { get; } = info;

    public GroupId Id => Info.Id;

    public TimedSettings Settings { get; protected set; } = settings;

    /// <summary>The step with which the member's session began.</summary>
    public StepNumber Began => Member?.Began ?? default;

    /// <summary>True while this node is a member.</summary>
    public bool IsMember => Member is not null;

    /// <summary>True while neither session is open.</summary>
    public bool IsClosed => Member is null && Publisher is null;

    /// <summary>
    /// This node's own region view, where its requests are heard; null when it has none in the group.
    /// </summary>
    public RegionView? OwnView { get; private set; }

    /// <summary>Members of the group in the own region view.</summary>
    public int MembersHere { get; private set; } = 1;

    /// <summary>The session as a member; null: none.</summary>
    protected ModeSession? Member { get; set; }

    /// <summary>The session as a publisher; null: none.</summary>
    protected ModeSession? Publisher { get; set; }

    /// <summary>Tells the views to send to; null before the first message.</summary>
    protected GroupSender? Route { get; set; }

    /// <summary>The region views to send to in the active step.</summary>
    public IReadOnlyList<RegionView> ViewsNow(Instant now) => IsClosed ? [] : Route?.ViewsNow(now) ?? [];

    /// <summary>Finds the own region view in the cluster as installed.</summary>
    public void FindOwnView()
    {
        RegionView? own = context.Mode.Cluster.Own;
        OwnView = IsMember && own is not null && own.Region.Contains(Id) ? own : null;
        MembersHere = OwnView is null ? 1 : Math.Max(1, OwnView.CountMembers(Id) - 1);
    }

    /// <summary>Delivers a message.</summary>
    public void Deliver(NodeInfo sender, ulong number, in Slice message, Instant now)
    {
        context.Counters.Messages++;
        context.Counters.Bytes += (ulong)message.Length;
        Member?.Deliver(sender, new DeliveryBatch(number, message), now);
    }

    /// <summary>Delivers a message of this node to itself.</summary>
    public void DeliverOwn(OutgoingMessage message, Instant now)
    {
        if (Member is null || message.Step < Member.Began || context.Mode.Cluster.Self is not { } self) return;
        Slice copy = context.Joined.Copy(message.Span);
        Deliver(self, message.Number, copy, now);
        copy.Release();
    }

    /// <summary>Reports messages that were not here within their time.</summary>
    public void ReportLoss(NodeInfo sender, ulong first, ulong count, Instant now)
    {
        Debug.Assert(count > 0 && first > 0, "something is lost");
        context.Counters.Expired += count;
        Member?.ReportLoss(sender, first, count, LossCause.Expired, now);
    }
}
