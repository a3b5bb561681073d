using System.CommandLine;

namespace QuickSilver.Cli.Arguments;

/// <summary>What the value of an option must keep to. A command line that does not is refused before anything
/// starts.</summary>
internal static class OptionRules
{
    /// <summary>Refuses values below a least one.</summary>
    public static Option<T> AtLeast<T>(this Option<T> option, T least)
        where T : struct, IComparable<T> =>
        option.Must(value => value.CompareTo(least) >= 0, $"is less than {least}");

    /// <summary>Refuses values that are not above a limit.</summary>
    public static Option<T> Above<T>(this Option<T> option, T limit)
        where T : struct, IComparable<T> =>
        option.Must(value => value.CompareTo(limit) > 0, $"is not more than {limit}");

    /// <summary>Refuses what is not more than 0, where a value is given.</summary>
    public static Option<T?> Positive<T>(this Option<T?> option)
        where T : struct, IComparable<T>
    {
        option.Validators.Add(result =>
        {
            if (result.Errors.Any() || result.Implicit) return;
            if (result.GetValueOrDefault<T?>() is { } value && value.CompareTo(default) <= 0)
                result.AddError($"{option.Name} is not more than 0.");
        });
        return option;
    }

    /// <summary>Refuses words that look like options: the parser would take a misspelt option for a name.</summary>
    public static Argument<T> NoOption<T>(this Argument<T> argument)
    {
        argument.Validators.Add(static result =>
        {
            foreach (string word in result.Tokens.Select(static token => token.Value))
                if (word.Length > 1 && word[0] == '-') result.AddError($"'{word}' is no option of this command.");
        });
        return argument;
    }

    private static Option<T> Must<T>(this Option<T> option, Func<T, bool> isFit, string fault)
        where T : struct
    {
        option.Validators.Add(result =>
        {
            // A value that cannot be parsed has an error of its own.
            if (result.Errors.Any() || result.Implicit) return;
            if (!isFit(result.GetValueOrDefault<T>())) result.AddError($"{option.Name} {fault}.");
        });
        return option;
    }
}
