using Microsoft.AspNetCore.Http;
using QuickSilver.Dashboard.Figures;
using QuickSilver.Dashboard.Json;

namespace QuickSilver.Dashboard.Web;

/// <summary>Which pages of the tables a browser shows. Equal requests have equal answers.</summary>
/// <param name="NodePage">The page of nodes.</param>
/// <param name="NodeSort">Their order.</param>
/// <param name="RegionPage">The page of regions.</param>
/// <param name="GroupPage">The page of groups.</param>
/// <param name="GroupSort">Their order.</param>
internal sealed record PageRequest(int NodePage, string NodeSort, int RegionPage, int GroupPage, string GroupSort)
{
    /// <summary>Reads a request.</summary>
    /// <param name="query">The query.</param>
    /// <param name="fault">What is wrong with it; null if nothing is.</param>
    public static PageRequest Of(IQueryCollection query, out string? fault)
    {
        var question = new Question(query);
        var request = new PageRequest(
            question.Page("nodePage"), NodeSortOf(question, "nodeSort"),
            question.Page("regionPage"),
            question.Page("groupPage"), GroupSortOf(question, "groupSort"));
        fault = question.Fault;
        return request;
    }

    /// <summary>An order of nodes.</summary>
    public static string NodeSortOf(Question question, string name) => question.Sort(
        name, NodeOrders.Default, static sort => sort == Paging.ByName || NodeOrders.All.ContainsKey(sort));

    /// <summary>An order of groups.</summary>
    public static string GroupSortOf(Question question, string name) => question.Sort(
        name, GroupOrders.Default, static sort => sort == Paging.ByName || GroupOrders.All.ContainsKey(sort));

    /// <summary>What the browser gets at a tick.</summary>
    public FrameView ViewOf(ClusterFigures figures)
    {
        Page<NodeRow> nodes = figures.NodesOf(NodePage, NodeSort);
        return new FrameView(
            figures.Overview, figures.Slow, figures.Repairs, figures.Views,
            nodes, figures.RegionsOf(RegionPage, nodes.Rows), figures.GroupsOf(GroupPage, GroupSort));
    }
}
