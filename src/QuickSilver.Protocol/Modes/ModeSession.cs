using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Modes;

/// <summary>
/// One session of this node in a group whose mode has an engine: what the engine knows of it, and its way to the
/// application. Core thread only.
/// </summary>
/// <param name="info">Id, name and mode.</param>
/// <param name="began">The step with which the session begins. Messages of earlier steps are not for it.</param>
/// <param name="isPublisher">True for a session that sends only.</param>
/// <param name="settings">The settings that the join gave; null: the mode's defaults.</param>
/// <param name="listener">Receives what is delivered.</param>
/// <param name="totals">Counts what is delivered.</param>
internal sealed class ModeSession(
    GroupInfo info,
    StepNumber began,
    bool isPublisher,
    ModeSettings? settings,
    IDeliveryListener listener,
    ModeTotals totals)
{
    /// <summary>Id, name and mode.</summary>
    public GroupInfo Info { get; } = info;

    /// <summary>The step with which the session begins.</summary>
    public StepNumber Began { get; } = began;

    /// <summary>True for a session that sends only: nothing is delivered to it.</summary>
    public bool IsPublisher { get; } = isPublisher;

    /// <summary>The settings of the join; null: the mode's defaults.</summary>
    public ModeSettings? Settings { get; } = settings;

    /// <summary>False once the session has ended.</summary>
    public bool IsOpen { get; private set; } = true;

    /// <summary>
    /// Shows the application the group's view of a layout from now on, and tells it. Set by the stack, called by an
    /// engine that gives views their place among the messages (<see cref="GroupModes.HasViewsInOrder"/>).
    /// </summary>
    public Action<GroupLayout, Instant>? ShowView { get; set; }

    /// <summary>
    /// Tells the application that what follows in the present view is promised to some of its members alone, and names
    /// them. Set and called as <see cref="ShowView"/>.
    /// </summary>
    public Action<IReadOnlyList<NodeInfo>, Instant>? ShowTransition { get; set; }

    /// <summary>What an engine keeps of the session.</summary>
    public object? State { get; set; }

    /// <summary>Delivers messages of one sender; the caller keeps its reference to their memory.</summary>
    public void Deliver(NodeInfo sender, in DeliveryBatch batch, Instant now)
    {
        if (!IsOpen || IsPublisher) return;
        totals.Messages += (ulong)batch.Count;
        totals.Bytes += (ulong)batch.TotalLength;
        listener.OnMessages(sender, batch, now);
    }

    /// <summary>Reports messages of a sender that will never be delivered.</summary>
    public void ReportLoss(NodeInfo sender, ulong first, ulong count, LossCause cause, Instant now)
    {
        if (!IsOpen || IsPublisher) return;
        totals.Lost += count;
        listener.OnLoss(sender, first, count, cause, now);
    }

    /// <summary>Reports that nothing more follows of a sender that was removed.</summary>
    public void CloseSender(NodeInfo sender, Instant now)
    {
        if (IsOpen && !IsPublisher) listener.OnSenderClosed(sender, now);
    }

    /// <summary>Ends the session.</summary>
    internal void End() => IsOpen = false;
}
