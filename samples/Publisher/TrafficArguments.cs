using System.CommandLine;

namespace Publisher;

/// <summary>The part of the command line that says what to send.</summary>
internal sealed class TrafficArguments
{
    private readonly Option<long?> _count = new("--count") { Description = "Send so many generated messages. Without it: the lines of standard input.", HelpName = "N" };

    private readonly Option<int> _size = new("--size") { Description = "Size of a generated message.", HelpName = "BYTES", DefaultValueFactory = _ => 1000 };

    private readonly Option<double> _rate = new("--rate") { Description = "Messages a second. Default: as fast as they are taken.", HelpName = "PER_SECOND" };

    private readonly Option<int> _members = new("--members")
    {
        Description = "Wait first until each group has so many members, this one included.",
        HelpName = "M",
        DefaultValueFactory = _ => 1,
    };

    /// <summary>Adds the options to a command.</summary>
    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])[_count, _size, _rate, _members]) command.Options.Add(option);
        command.Validators.Add(result =>
        {
            if (result.GetValue(_count) < 0) result.AddError("--count is negative.");
            if (result.GetValue(_size) < 0) result.AddError("--size is negative.");
            if (result.GetValue(_rate) < 0) result.AddError("--rate is negative.");
            if (result.GetValue(_members) < 1) result.AddError("--members is less than 1.");
        });
    }

    /// <summary>What was said.</summary>
    public TrafficSetup Read(ParseResult parsed) =>
        new(parsed.GetValue(_count), parsed.GetValue(_size), parsed.GetValue(_rate), parsed.GetValue(_members));
}
