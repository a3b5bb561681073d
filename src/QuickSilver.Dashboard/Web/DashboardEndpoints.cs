using System.Text.Json.Serialization.Metadata;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using QuickSilver.Dashboard.Figures;
using QuickSilver.Dashboard.Json;
using QuickSilver.Dashboard.Sharing;

namespace QuickSilver.Dashboard.Web;

/// <summary>The routes of a dashboard: its page, the files of the page, events, and the same figures one by
/// one.</summary>
/// <param name="watch">The cluster.</param>
/// <param name="limit">How many streams there may be.</param>
/// <param name="stopping">Ends all streams: they would hold up the stop of the host.</param>
internal sealed class DashboardEndpoints(SharedWatch watch, StreamLimit limit, CancellationToken stopping)
{
    private const int RetrySeconds = 5;

    private static readonly string[] Readable = [HttpMethods.Get, HttpMethods.Head];
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    /// <summary>Adds the routes.</summary>
    /// <returns>The group.</returns>
    public RouteGroupBuilder Map(RouteGroupBuilder group)
    {
        group.MapMethods("", Readable, Headers.On(IndexAsync));
        group.MapMethods("/assets/{**name}", Readable, Headers.On(AssetAsync));
        group.MapGet("/events", Headers.On(EventsAsync));
        group.MapGet("/api/cluster", Headers.On(context => AnswerAsync(
            context, "cluster", DashboardJson.Default.ClusterView,
            static figures => new ClusterView(figures.Overview, figures.Slow, figures.Repairs, figures.Views))));
        group.MapGet("/api/history", Headers.On(context => AnswerAsync(
            context, "history", DashboardJson.Default.IReadOnlyListClusterPoint,
            static figures => figures.History)));
        group.MapGet("/api/nodes", Headers.On(NodesAsync));
        group.MapGet("/api/groups", Headers.On(GroupsAsync));
        group.MapGet("/api/nodes/{**id}", Headers.On(NodeAsync));
        group.MapGet("/api/group", Headers.On(GroupAsync));
        return group;
    }

    // Addresses of the page are relative to its folder, so that any prefix will do, and a proxy may add another.
    private static Task IndexAsync(HttpContext context)
    {
        string path = context.Request.Path.Value ?? "";
        string whole = context.Request.PathBase.Value + path;
        if (whole.EndsWith('/')) return Asset.Find("index.html")!.WriteAsync(context);
        string folder = Uri.EscapeDataString(whole[(whole.LastIndexOf('/') + 1)..]);
        context.Response.StatusCode = StatusCodes.Status307TemporaryRedirect;
        context.Response.Headers.Location = $"./{folder}/{context.Request.QueryString}";
        return Task.CompletedTask;
    }

    private static Task AssetAsync(HttpContext context) =>
        context.GetRouteValue("name") is string name && name != "index.html" && Asset.Find(name) is { } asset
            ? asset.WriteAsync(context)
            : Answers.WriteProblemAsync(context, StatusCodes.Status404NotFound, "There is no such file");

    private async Task EventsAsync(HttpContext context)
    {
        PageRequest request = PageRequest.Of(context.Request.Query, out string? fault);
        if (fault is not null)
        {
            await Answers.WriteProblemAsync(context, StatusCodes.Status400BadRequest, fault).ConfigureAwait(false);
            return;
        }
        if (!limit.TryEnter())
        {
            await Answers.WriteProblemAsync(
                context, StatusCodes.Status503ServiceUnavailable, "As many browsers as allowed look already",
                RetrySeconds).ConfigureAwait(false);
            return;
        }
        using var end = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, stopping);
        watch.Enter();
        try
        {
            await new EventStream(watch, request).RunAsync(context, end.Token).ConfigureAwait(false);
        }
        catch (Exception gone) when (gone is OperationCanceledException or IOException)
        {
            // The browser has gone, or the host stops.
        }
        finally
        {
            watch.Leave();
            limit.Leave();
        }
    }

    private Task NodesAsync(HttpContext context)
    {
        var question = new Question(context.Request.Query);
        int page = question.Page("page");
        string sort = PageRequest.NodeSortOf(question, "sort");
        return question.Fault is { } fault
            ? Answers.WriteProblemAsync(context, StatusCodes.Status400BadRequest, fault)
            : AnswerAsync(
                context, $"nodes {page} {sort}", DashboardJson.Default.PageNodeRow,
                figures => figures.NodesOf(page, sort));
    }

    private Task GroupsAsync(HttpContext context)
    {
        var question = new Question(context.Request.Query);
        int page = question.Page("page");
        string sort = PageRequest.GroupSortOf(question, "sort");
        return question.Fault is { } fault
            ? Answers.WriteProblemAsync(context, StatusCodes.Status400BadRequest, fault)
            : AnswerAsync(
                context, $"groups {page} {sort}", DashboardJson.Default.PageGroupRow,
                figures => figures.GroupsOf(page, sort));
    }

    private Task NodeAsync(HttpContext context)
    {
        string id = context.GetRouteValue("id") as string ?? "";
        return AnswerAsync(
            context, $"node {id}", DashboardJson.Default.NodeView, figures => figures.FindNode(id),
            "There is no such node");
    }

    // The name of a group may hold what an address gives a meaning, so it stands in the query.
    private Task GroupAsync(HttpContext context)
    {
        string name = context.Request.Query["name"].ToString();
        return AnswerAsync(
            context, $"group {name}", DashboardJson.Default.GroupReport, figures => figures.FindGroup(name),
            "No node reports such a group");
    }

    private async Task AnswerAsync<T>(
        HttpContext context, string question, JsonTypeInfo<T> type, Func<ClusterFigures, T?> make,
        string missing = "")
        where T : class
    {
        watch.Enter();
        try
        {
            WatchState? state = await CurrentAsync(context.RequestAborted).ConfigureAwait(false);
            if (state?.Frame is not { } frame)
            {
                await Answers.WriteProblemAsync(
                    context, StatusCodes.Status503ServiceUnavailable, state?.Trouble ?? "There are no figures yet",
                    RetrySeconds).ConfigureAwait(false);
                return;
            }
            byte[]? answer = frame.AnswerTo(question, type, make);
            await (answer is null
                ? Answers.WriteProblemAsync(context, StatusCodes.Status404NotFound, missing)
                : Answers.WriteJsonAsync(context, answer)).ConfigureAwait(false);
        }
        finally
        {
            watch.Leave();
        }
    }

    private async Task<WatchState?> CurrentAsync(CancellationToken aborted)
    {
        using var limited = CancellationTokenSource.CreateLinkedTokenSource(aborted, stopping);
        limited.CancelAfter(Patience);
        try
        {
            return await watch.NextAsync(0, limited.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!aborted.IsCancellationRequested)
        {
            return null;
        }
    }
}
