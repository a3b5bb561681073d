using System.CommandLine;
using System.CommandLine.Parsing;

namespace QuickSilver.Bench;

/// <summary>What the value of an option must keep to; a command line that does not is refused before anything
/// starts.</summary>
internal static class OptionRules
{
    /// <summary>Refuses values below <paramref name="least"/>.</summary>
    public static Option<T> AtLeast<T>(this Option<T> option, T least)
        where T : struct, IComparable<T>
    {
        option.Validators.Add(result =>
        {
            if (Values(result, option).Any(value => value.CompareTo(least) < 0))
                result.AddError($"{option.Name} is less than {least}.");
        });
        return option;
    }

    /// <summary>Refuses values that are not above <paramref name="limit"/>.</summary>
    public static Option<T> Above<T>(this Option<T> option, T limit)
        where T : struct, IComparable<T>
    {
        option.Validators.Add(result =>
        {
            if (Values(result, option).Any(value => value.CompareTo(limit) <= 0))
                result.AddError($"{option.Name} is not more than {limit}.");
        });
        return option;
    }

    /// <summary>Refuses what is not a share: 0 or more, and less than 1.</summary>
    public static Option<double> Share(this Option<double> option)
    {
        option.Validators.Add(result =>
        {
            if (Values(result, option).Any(value => !(value >= 0 && value < 1)))
                result.AddError($"{option.Name} is not in [0, 1).");
        });
        return option;
    }

    /// <summary>Refuses what joins nodes of one process only.</summary>
    public static Option<TransportKind> BetweenProcesses(this Option<TransportKind> option)
    {
        option.Validators.Add(result =>
        {
            if (Values(result, option).Contains(TransportKind.InMemory))
                result.AddError($"{option.Name} InMemory reaches nodes of one process only.");
        });
        return option;
    }

    /// <summary>The value of an option in a command's validator, where defaults are not yet filled in.</summary>
    public static T ValueOrDefault<T>(this CommandResult result, Option<T> option) =>
        result.GetResult(option) is { } given ? given.GetValueOrDefault<T>()! : (T)option.GetDefaultValue()!;

    // A value that cannot be parsed has an error of its own.
    private static T[] Values<T>(OptionResult result, Option<T> option) =>
        result.Errors.Any() ? [] : [result.GetValueOrDefault<T>() ?? (T)option.GetDefaultValue()!];
}
