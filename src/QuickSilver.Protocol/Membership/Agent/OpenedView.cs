using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>A view that a step opens, as checked before the step changes anything.</summary>
/// <param name="Entry">The view's entry in the step.</param>
/// <param name="Region">The view's region; in force already when the view replaces another.</param>
/// <param name="View">The view to open.</param>
internal readonly record struct OpenedView(StepFrame.ViewEntry Entry, AgentRegion Region, RegionView View);
