using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>A view that a step opens, as checked before the step changes anything.</summary>
/// <param name="Entry">The view's entry in the step.</param>
/// <param name="Region">The view's region; in force already when the view replaces another.</param>
/// <param name="Homes">The homes of the members that the entry adds; empty: its region.</param>
/// <param name="View">The view to open.</param>
internal readonly record struct OpenedView(
    StepFrame.ViewEntry Entry, AgentRegion Region, AgentRegion[] Homes, RegionView View)
{
    /// <summary>The home of a member that the entry adds, by its index there.</summary>
    public AgentRegion HomeOf(int index) => Homes.Length == 0 ? Region : Homes[index];
}
