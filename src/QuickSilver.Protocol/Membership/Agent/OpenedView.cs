using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>A view that a step opens, as checked before anything changes.</summary>
/// <param name="Entry">What the step says of it.</param>
/// <param name="Region">Its region; that is in force already when the view replaces another.</param>
/// <param name="View">The view.</param>
internal readonly record struct OpenedView(StepFrame.ViewEntry Entry, AgentRegion Region, RegionView View);
