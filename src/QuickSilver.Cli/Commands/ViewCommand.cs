using System.CommandLine;
using System.Globalization;
using QuickSilver.Cli.Arguments;
using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Commands;

/// <summary>Shows the members and regions of a group without joining it.</summary>
internal sealed class ViewCommand : NodeCommand
{
    private readonly Argument<string> _group = new("GROUP") { Description = "The group." };
    private readonly ModeArgument _mode;

    /// <summary>Makes the command.</summary>
    public ViewCommand()
        : base("view", "Shows the members of a group and its regions, as a publisher sees them; joins nothing.")
    {
        Line.Arguments.Add(_group.NoOption());
        _mode = new ModeArgument(Line);
    }

    /// <inheritdoc/>
    protected override async Task<int> RunAsync(CommandCall call)
    {
        await using QuickSilverNode node = await StartAsync(call).ConfigureAwait(false);
        await using GroupPublisher publisher = await _mode.EnterAsync(call, mode => node.OpenPublisherAsync(
            call.Value(_group), new PublisherOptions { Mode = mode }, call.Stop)).ConfigureAwait(false);
        GroupView view = publisher.View;
        var item = new PrintItem("view").Add("group", view.GroupName).Add("number", view.Number)
            .Add("mode", ModeArgument.NameOf(view)).Add("count", view.MemberCount)
            .Add("members", view.Members.Select(static one => new PrintItem("member").Add("node", one.Name)
                .Add("id", one.Id.ToString()).Add("identity", one.Identity)).ToArray())
            .Add("regions", view.Regions.Select(static one => new PrintItem("region").Add("region", one.Id)
                .Add("view", one.Number).Add("carrier", one.Carrier.ToString()).Add("address", one.Address)
                .Add("members", one.MemberCount).Add("filtering", one.FilteringCount)).ToArray());
        call.Printer.Print(item.Say(string.Create(
            CultureInfo.InvariantCulture,
            $"{TerminalText.Escape(view.GroupName)} ({ModeArgument.NameOf(view)}), view {view.Number}: "
            + $"{view.MemberCount} members, {view.Regions.Count} regions")));
        var members = new TextTable("MEMBER", "ID", "IDENTITY");
        foreach (Member member in view.Members) members.Add(member.Name, member.Id.ToString(), member.Identity);
        var regions = new TextTable("REGION", ">MEMBERS", "CARRIER", "ADDRESS");
        foreach (RegionView region in view.Regions)
            regions.Add(Number(region.Id), Number(region.MemberCount), region.Carrier.ToString(), region.Address);
        // Below the line of the view, a half for each.
        TerminalSize room = call.Printer.Room;
        IReadOnlyList<string> below = regions.Lines(room.Width, Math.Max(3, (room.Height - 1) / 2));
        foreach (string line in members.Lines(room.Width, Math.Max(3, room.Height - 1 - below.Count)))
            call.Printer.Line(line);
        foreach (string line in below) call.Printer.Line(line);
        return ExitCode.Done;
    }

    private static string Number<T>(T value)
        where T : IFormattable => value.ToString(null, CultureInfo.InvariantCulture);
}
